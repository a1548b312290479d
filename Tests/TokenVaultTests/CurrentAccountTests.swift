import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("The current account")
struct CurrentAccountTests {
  private let vault: TestVault
  private let core: GroupSession

  init() throws {
    vault = try TestVault()
    core = vault.core()
  }

  private func previous(_ answer: CurrentAccount) -> String? {
    switch answer.previous {
    case .present(let account): account.username
    case .left(_, let username, _): "left \(username)"
    case .erased: "erased"
    case nil: nil
    }
  }

  @Test("the only signed-in account is current, several are ambiguous, a switch decides for all")
  func group() throws {
    let missing = #expect(throws: VaultError.self) { try core.currentAccount() }
    #expect(missing?.name == "noGroup")
    try core.create()
    let none = #expect(throws: VaultError.self) { try core.currentAccount() }
    #expect(none?.name == "noCurrentAccount")
    try core.importCache(Person.ada.cache())
    #expect(try core.currentAccount().username == "ada@contoso.example")
    try core.importCache(Person.bob.cache())
    let several = #expect(throws: VaultError.self) { try core.currentAccount() }
    #expect(several?.candidates?.count == 2)
    try core.switchTo("bob@fabrikam.example")
    #expect(try vault.core().currentAccount().username == "Bob@fabrikam.example")
    let listed = try core.accounts(.all).accounts
    #expect(listed.map(\.isCurrent) == [false, true])
  }

  @Test("a client is told the account and the one before; the second call gives the same twice")
  func previousAccount() throws {
    try core.importCache(Person.ada.cache())
    let first = try core.currentAccount(client: Clients.cli)
    #expect(first.account?.username == "ada@contoso.example" && first.previous == nil)
    let second = try core.currentAccount(client: Clients.cli.uppercased())
    #expect(previous(second) == "ada@contoso.example")
    try core.importCache(Person.bob.cache())
    try core.switchTo("bob@fabrikam.example")
    let changed = try vault.core().currentAccount(client: Clients.cli)
    #expect(changed.account?.username == "Bob@fabrikam.example")
    #expect(previous(changed) == "ada@contoso.example")
    #expect(previous(try core.currentAccount(client: Clients.cli)) == "Bob@fabrikam.example")
  }

  @Test("an ambiguous answer is an error and leaves what the client was told as it was")
  func ambiguous() throws {
    try core.importCache(Person.ada.cache())
    _ = try core.currentAccount(client: Clients.cli)
    try core.importCache(Person.bob.cache())
    let error = #expect(throws: VaultError.self) {
      try core.currentAccount(client: Clients.cli)
    }
    #expect(error?.name == "ambiguousCurrentAccount")
    try core.switchTo("bob@fabrikam.example")
    #expect(previous(try core.currentAccount(client: Clients.cli)) == "ada@contoso.example")
  }

  @Test("each client has its own: one that is signed out is not given the group's account")
  func clients() throws {
    try core.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [Person.ada.refresh("fake-rt-editor", client: Clients.editor)])
        + Person.bob.cache())
    try core.switchTo("ada@contoso.example")
    try core.signOut(["ada@contoso.example"], client: Clients.cli)
    #expect(
      try core.currentAccount(client: Clients.editor).account?.username == "ada@contoso.example")
    #expect(
      try core.currentAccount(client: Clients.cli).account?.username == "Bob@fabrikam.example")
    #expect(try core.currentAccount().username == "ada@contoso.example")
  }

  @Test("after an erasure the client is told once that somebody is gone, and not who")
  func erased() throws {
    try core.importCache(Person.ada.cache())
    _ = try core.currentAccount(client: Clients.cli)
    try core.signOut(["ada@contoso.example"])
    let after = try core.currentAccount(client: Clients.cli)
    #expect(after.account == nil && previous(after) == "erased")
    let again = try core.currentAccount(client: Clients.cli)
    #expect(again.account == nil && again.previous == nil)
  }

  @Test("on a shared device the other tools are told once who left")
  func left() throws {
    let device = vault.home.appending(path: "etc/device.json").path
    try SmallFile.write(Array(#"{"deviceMode":"shared"}"#.utf8), to: device)
    try core.importCache(Person.ada.cache())
    _ = try core.currentAccount(client: Clients.cli)
    _ = try core.currentAccount(client: Clients.editor)
    try core.signOut(["ada@contoso.example"])
    let other = vault.core()
    #expect(previous(try other.currentAccount(client: Clients.cli)) == "left ada@contoso.example")
    #expect(try other.currentAccount(client: Clients.cli).previous == nil)
    #expect(try other.currentAccount(client: Clients.editor).previous == nil)
  }

  @Test("asking again writes nothing, so that watching tools do not wake each other for ever")
  func quiet() throws {
    try core.importCache(Person.ada.cache())
    _ = try core.currentAccount(client: Clients.cli)
    let before = try core.read { $0.state.changes }
    for _ in 0..<3 { _ = try core.currentAccount(client: Clients.cli) }
    #expect(try core.read { $0.state.changes } == before)
  }

  @Test("a plain secret is an account that can be current")
  func secrets() throws {
    let service = ServiceURL("git.example")
    _ = try core.addSecret(
      Redacted(Array("fake-pat".utf8)), service: service, username: "ada")
    #expect(try core.currentAccount().authorityType == .secret)
  }
}
