import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct CurrentAccountTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  private func previous(_ answer: CurrentAccount) -> String? {
    switch answer.previous {
    case .present(let account): account.username
    case .left(_, let username, _): "left \(username)"
    case .erased: "erased"
    case nil: nil
    }
  }

  @Test func theOnlySignedInAccountIsCurrentAndSeveralRequireASwitch() throws {
    let missing = #expect(throws: VaultError.self) { try session.currentAccount() }
    #expect(missing?.name == "noGroup")
    try session.create()
    let none = #expect(throws: VaultError.self) { try session.currentAccount() }
    #expect(none?.name == "noCurrentAccount")
    try session.importCache(Person.ada.cache())
    #expect(try session.currentAccount().username == "ada@contoso.example")
    try session.importCache(Person.bob.cache())
    let several = #expect(throws: VaultError.self) { try session.currentAccount() }
    #expect(several?.candidates?.count == 2)
    try session.switchTo("bob@fabrikam.example")
    #expect(try vault.groupSession().currentAccount().username == "Bob@fabrikam.example")
    let listed = try session.accounts(.all).accounts
    #expect(listed.map(\.isCurrent) == [false, true])
  }

  @Test(.parity("getCurrentAccountWithParameters:completionBlock:"))
  func aClientGetsTheCurrentAccountAndThePreviousOne() throws {
    try session.importCache(Person.ada.cache())
    let first = try session.currentAccount(client: Clients.cli)
    #expect(first.account?.username == "ada@contoso.example" && first.previous == nil)
    let second = try session.currentAccount(client: Clients.cli.uppercased())
    #expect(previous(second) == "ada@contoso.example")
    try session.importCache(Person.bob.cache())
    try session.switchTo("bob@fabrikam.example")
    let changed = try vault.groupSession().currentAccount(client: Clients.cli)
    #expect(changed.account?.username == "Bob@fabrikam.example")
    #expect(previous(changed) == "ada@contoso.example")
    #expect(previous(try session.currentAccount(client: Clients.cli)) == "Bob@fabrikam.example")
  }

  @Test(.parity("MSALInternalErrorAmbiguousAccount -42102"))
  func anAmbiguousCurrentAccountLeavesThePreviousOneUnchanged() throws {
    try session.importCache(Person.ada.cache())
    _ = try session.currentAccount(client: Clients.cli)
    try session.importCache(Person.bob.cache())
    let error = #expect(throws: VaultError.self) {
      try session.currentAccount(client: Clients.cli)
    }
    #expect(error?.name == "ambiguousCurrentAccount")
    try session.switchTo("bob@fabrikam.example")
    #expect(previous(try session.currentAccount(client: Clients.cli)) == "ada@contoso.example")
  }

  /// A client that is signed out of the group's account does not get it.
  @Test func eachClientHasItsOwnCurrentAccount() throws {
    try session.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [Person.ada.refresh("fake-rt-editor", client: Clients.editor)])
        + Person.bob.cache())
    try session.switchTo("ada@contoso.example")
    try session.signOut(["ada@contoso.example"], client: Clients.cli)
    #expect(
      try session.currentAccount(client: Clients.editor).account?.username == "ada@contoso.example")
    // The client gets no other account before one is chosen.
    let error = #expect(throws: VaultError.self) {
      try session.currentAccount(client: Clients.cli)
    }
    #expect(error?.candidates?.map(\.username) == ["Bob@fabrikam.example"])
    #expect(try session.currentAccount().username == "ada@contoso.example")
  }

  /// A tool that asks without an account must not get the token of another person.
  @Test func nobodyIsCurrentAfterTheCurrentAccountSignedOut() throws {
    for isChosen in [true, false] {
      try session.importCache(Person.ada.cache() + Person.bob.cache())
      if isChosen { try session.switchTo("ada@contoso.example") }
      try session.signOut(["ada@contoso.example"])
      let other = vault.groupSession()
      for ask in [
        { _ = try other.currentAccount() }, { _ = try other.tokenText() },
        { _ = try other.currentAccount(client: Clients.cli) },
      ] as [() throws -> Void] {
        let error = #expect(throws: VaultError.self) { try ask() }
        #expect(error?.name == "ambiguousCurrentAccount")
        #expect(error?.candidates?.map(\.username) == ["Bob@fabrikam.example"])
      }
      try session.switchTo("bob@fabrikam.example")
      #expect(try other.tokenText() == "fake-at-Bob@fabrikam.example")
      #expect(
        try other.currentAccount(client: Clients.cli).account?.username == "Bob@fabrikam.example")
      try session.signOutAll()
    }
  }

  @Test func noImportAndNoPasswordBecomesCurrentInAGroupThatHadAnotherAccount() throws {
    try session.importCache(Person.ada.cache())
    #expect(try session.currentAccount().username == "ada@contoso.example")
    try session.signOut(["ada@contoso.example"])
    try session.importCache(Person.bob.cache())
    let afterImport = #expect(throws: VaultError.self) { try session.currentAccount() }
    #expect(afterImport?.candidates?.map(\.username) == ["Bob@fabrikam.example"])
    try session.signOutAll()
    try session.addSecret(
      Redacted(text: "fake-pat"), service: ServiceURL("git.example"), username: "ada")
    let afterSecret = #expect(throws: VaultError.self) { try session.currentAccount() }
    #expect(afterSecret?.candidates?.map(\.username) == ["ada"])
  }

  @Test func thePreviousAccountIsKeptUntilItIsErased() throws {
    let selection = CurrentAccountSelection(session)
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    #expect(try selection.previous() == nil)
    try session.switchTo(Person.ada.id)
    #expect(try selection.previous() == nil)
    try session.switchTo(Person.bob.id)
    try session.switchTo(Person.bob.id)
    #expect(try selection.previous()?.username == Person.ada.username)
    // A renewal gives every account another tag.
    _ = try Rekey(session).changeKey()
    #expect(try selection.previous()?.username == Person.ada.username)
    // The current account is signed out, and the previous one takes its place.
    try session.signOut([Person.bob.id])
    #expect(try selection.previous()?.username == Person.ada.username)
    try session.switchTo(Person.ada.id)
    #expect(try selection.previous() == nil)
    try session.importCache(Person.bob.cache())
    try session.switchTo(Person.bob.id)
    try session.signOut([Person.ada.id])
    #expect(try selection.previous() == nil)
    #expect(try session.read { $0.state.principals[""]?.account } == nil)
  }

  /// The number of accounts that the group ever had survives a rotation of its only account.
  @Test func aGroupThatOnlyEverHadOneAccountNeedsNoChoice() throws {
    try session.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [Person.ada.refresh("fake-rt-editor", client: Clients.editor)]))
    try session.signOut(["ada@contoso.example"], client: Clients.editor)
    try session.importCache(Person.ada.cache("-2"))
    #expect(try vault.groupSession().currentAccount().username == "ada@contoso.example")
  }

  @Test(.parity("getCurrentAccountWithParameters:completionBlock:"))
  func anErasedAccountIsReportedOnceAndWithoutItsName() throws {
    try session.importCache(Person.ada.cache())
    _ = try session.currentAccount(client: Clients.cli)
    try session.signOut(["ada@contoso.example"])
    let after = try session.currentAccount(client: Clients.cli)
    #expect(after.account == nil && previous(after) == "erased")
    let again = try session.currentAccount(client: Clients.cli)
    #expect(again.account == nil && again.previous == nil)
  }

  /// The group's file keeps nothing of an erased account. A process that had returned the account
  /// has its name in memory.
  @Test(.parity("getCurrentAccountWithParameters:completionBlock:"))
  func aSharedDeviceReportsASignOutOnceAndNamesTheAccountOnlyWhereItWasSeen() throws {
    let device = vault.home.appending(path: "etc/device.json").path
    try SmallFile.write(Array(#"{"deviceMode":"shared"}"#.utf8), to: device)
    try session.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [Person.ada.refresh("fake-rt-editor", client: Clients.editor)]))
    _ = try session.currentAccount(client: Clients.cli)
    _ = try session.currentAccount(client: Clients.editor)
    try session.signOut(["ada@contoso.example"])
    let other = vault.groupSession()
    #expect(previous(try other.currentAccount(client: Clients.cli)) == "erased")
    #expect(try other.currentAccount(client: Clients.cli).previous == nil)
    #expect(
      previous(try session.currentAccount(client: Clients.editor)) == "left ada@contoso.example")
    #expect(try session.currentAccount(client: Clients.editor).previous == nil)
  }

  /// Otherwise tools that watch the group would wake each other forever.
  @Test func aRepeatedQueryWritesNothing() throws {
    try session.importCache(Person.ada.cache())
    _ = try session.currentAccount(client: Clients.cli)
    let before = try session.read { $0.state.changes }
    for _ in 0..<3 { _ = try session.currentAccount(client: Clients.cli) }
    #expect(try session.read { $0.state.changes } == before)
  }

  @Test func aServiceSecretCanBeTheCurrentAccount() throws {
    let service = ServiceURL("git.example")
    _ = try session.addSecret(
      Redacted(Array("fake-pat".utf8)), service: service, username: "ada")
    #expect(try session.currentAccount().authorityType == .secret)
  }
}
