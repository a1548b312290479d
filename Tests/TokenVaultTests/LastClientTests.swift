import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

/// An account whose last client signs out is erased with everything that names the person.
@Suite(.timeLimit(.minutes(5))) struct LastClientTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  /// Ada's account with everything that can name her, used by one client.
  private func importAda(_ more: [MSALCache.Token] = []) throws {
    var cache = Person.ada.cache()
    cache.profiles[0].extraJSON = Array(#"{"client_info":"fake-client-info","name":"Ada"}"#.utf8)
    cache.tokens += [Person.ada.refresh("fake-frt", family: "1")] + more
    cache.unknown = [
      .init(name: "Notes", json: Array(#"[{"home_account_id":"\#(Person.ada.id)"}]"#.utf8))
    ]
    try session.importCache(cache)
    try session.setAlias("work", of: Person.ada.id)
    try session.switchTo("work")
    let tag = try session.read { try session.lookup.stored(.current, in: $0).tag }
    try AccountRules(vaultDirectory: vault.directory.path)
      .set(.init(group: session.group, account: tag, path: "/projects/ada"))
  }

  @Test func theLastClientThatSignsOutTakesThePersonAlong() throws {
    try importAda()
    let report = try session.signOut(["work"], client: Clients.cli)
    #expect(report.isClean && report.keptAccounts.isEmpty)
    #expect(report.accounts.map(\.username) == ["ada@contoso.example"])
    #expect(report.entries.first?.detail == "rows deleted, account keys destroyed")
    #expect(report.entries.last?.place == .directoryRules)
    #expect(report.entries.last?.detail == "1 removed")
    let fresh = vault.groupSession()
    #expect(try fresh.accounts(.all).emptyReason == .noAccounts)
    #expect(try fresh.exportCache(.all) == MSALCache())
    #expect(try fresh.read { $0.state.current } == nil)
    #expect(try AccountRules(vaultDirectory: vault.directory.path).all().isEmpty)
    #expect(try fresh.read { try $0.verify() }.isSound)
    #expect(try fresh.read { try $0.tags(named: CaseFolding.fold("work")) }.isEmpty)
  }

  @Test func everyClientThatUsesTheAccountKeepsItUntilItSignsOutItself() throws {
    try importAda([Person.ada.access("fake-at-editor", client: Clients.editor)])
    let first = try session.signOut(["work"], client: Clients.cli)
    #expect(first.keptAccounts.map(\.username) == ["ada@contoso.example"])
    #expect(first.entries.first?.detail.contains("other clients keep the account") == true)
    #expect(!first.entries.contains { $0.place == .directoryRules })
    let left = try session.accounts(.all).accounts
    #expect(left.map(\.alias) == ["work"] && left[0].isCurrent)
    // The family's refresh token was issued to the first client, which does not count any more.
    #expect(left[0].clientIDs == [Clients.cli, Clients.editor].sorted())
    let second = try session.signOut(["work"], client: Clients.editor)
    #expect(second.keptAccounts.isEmpty)
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
    #expect(try session.exportCache(.all) == MSALCache())
  }

  @Test func aFamilysTokenStaysOnlyForAClientThatMayUseIt() throws {
    let token = Person.ada.access("fake-at-editor", client: Clients.editor)
    for family in ["", "1"] {
      try importAda([token])
      try session.importCache(
        MSALCache(
          apps: [
            .init(
              clientID: Clients.editor, environment: Person.ada.environment, familyID: family)
          ]))
      let result = try Erasure(session).run(.accounts([.named("work")]), client: Clients.cli)
      let left = try session.exportCache(.all).tokens.map { $0.secret.reveal() }
      #expect(left.sorted() == ["fake-at-editor"] + (family.isEmpty ? [] : ["fake-frt"]))
      // A token that stays is not revoked, and one that does not is.
      let revoked = result.targets.flatMap(\.tokens).map { $0.reveal() }
      #expect(revoked.contains("fake-frt") == family.isEmpty)
      try session.signOutAll()
    }
  }

  @Test func aSignOutOfEveryAccountOfAClientErasesThoseThatNoOtherClientUses() throws {
    try importAda()
    try session.importCache(
      Person.bob.cache()
        + MSALCache(tokens: [Person.bob.access("fake-at-editor", client: Clients.editor)]))
    let report = try session.signOutAll(client: Clients.cli)
    #expect(report.accounts.count == 2)
    #expect(report.keptAccounts.map(\.username) == ["Bob@fabrikam.example"])
    #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
    #expect(try session.signOutAll(client: Clients.cli).accounts.isEmpty)
  }

  /// A password belongs to no client.
  @Test func aClientsSignOutKeepsThePasswordOfAService() throws {
    try session.addSecret(
      Redacted(text: "fake-pat"), service: ServiceURL("git.example"), username: "ada")
    try session.signOut(["ada"], client: Clients.cli)
    #expect(try session.accounts(.all).accounts.count == 1)
  }
}
