import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite("Signing out")
struct SignOutTests {
  private let vault: TestVault
  private let core: GroupSession

  init() throws {
    // A keyring of its own: every secret in it is tried, and others' come and go meanwhile.
    vault = try TestVault(session: PrivateSecretService())
    core = vault.core()
  }

  private func importBoth() throws {
    try core.importCache(Person.ada.cache() + Person.bob.cache())
  }

  /// Tries every secret of the keyring, and the keys that are held, on a copy of the file.
  private func opens(_ backup: [(URL, Data)]) throws -> Int {
    let other = try TestVault(session: vault.session)
    try FileSafety.makeDirectory(other.directory.appending(path: "groups").path)
    for (url, data) in backup {
      let path = other.directory.appending(path: "groups/\(url.lastPathComponent)")
      try data.write(to: path)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    }
    var opened = 0
    let secrets = try vault.keyringSecrets()
    #expect(!secrets.isEmpty)
    for secret in secrets {
      let key = try Base64URL.decodeSecret(try SecretBytes(copying: Array(secret.utf8)))
      let locked = try LockedGroup(path: other.file().path)
      do {
        _ = try locked.unlock(key)
        opened += 1
      } catch StoreError.wrongKey {}
    }
    return opened
  }

  @Test("the erased account is gone from the file, and its former key from the keyring")
  func erasure() throws {
    try importBoth()
    let old = try core.keyID()
    #expect(try vault.keyringGenerations(old.groupID) == [1])
    let backup = try vault.backUp()
    #expect(try opens(backup) == 1)

    let report = try core.signOut(["ADA@contoso.example"])

    #expect(report.accounts.map(\.username) == ["ada@contoso.example"])
    #expect(report.isClean)
    // Nothing is said of stale copies where there are none.
    #expect(
      report.entries.map(\.place) == SignOutReport.Place.allCases.filter { $0 != .staleCopies })
    #expect(try vault.keyringGenerations(old.groupID) == [2])
    #expect(try opens(backup) == 0)
    #expect(try opens(try vault.backUp()) == 1)
    let wal = try Data(contentsOf: URL(filePath: vault.file().path + "-wal"))
    #expect(wal.isEmpty)
    for core in [core, vault.core()] {
      #expect(try core.accounts(.all).usernames == ["Bob@fabrikam.example"])
      #expect(try core.tokenText(account: "bob@fabrikam.example") == "fake-at-Bob@fabrikam.example")
      #expect(try core.read { try $0.verify() }.isSound)
    }
  }

  @Test("damage in what belongs to no account does not stand in the way of a sign-out")
  func damagedExtras() throws {
    var cache = Person.ada.cache() + Person.bob.cache()
    cache.apps = [
      MSALCache.App(clientID: Clients.cli, environment: "login.windows.net", familyID: "1")
    ]
    try core.importCache(cache)
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(Format.Meta.extras.rawValue, [UInt8](repeating: 7, count: 300))
    #expect(try core.signOut([Person.ada.id]).isClean)
    #expect(try vault.core().accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  @Test("bridges lead on from the former key, and to nothing that was erased")
  func deletionChecks() throws {
    try importBoth()
    let key = try vault.custodian.key(try core.keyID())
    try core.signOut([Person.ada.id])
    let locked = try LockedGroup(path: vault.file().path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [1])
    // Who kept the former key gets the new one by it, which opens the accounts that stayed.
    let next = try locked.unwrapSuccessorKey(of: 1, with: key)
    let group = try locked.unlock(next)
    let damaged = try group.read {
      try $0.forEachAccount { #expect($0.record.homeAccountID == Person.bob.id) }
    }
    #expect(damaged == 0)
  }

  @Test("rules that choose the account for a directory go with it")
  func directoryRules() throws {
    try importBoth()
    let rules = DirectoryRules(vaultDirectory: vault.directory.path)
    let tags = try core.read { transaction in
      try [Person.ada, .bob].map { try core.lookup.stored(.named($0.id), in: transaction).tag }
    }
    for (tag, path) in zip(tags, ["/projects/ada", "/projects/bob"]) {
      try rules.set(DirectoryRules.Rule(group: core.group, account: tag, path: path))
    }
    let report = try core.signOut([Person.ada.id])
    #expect(report.entries.last?.detail == "1 removed")
    #expect(try rules.all().map(\.path) == ["/projects/bob"])
  }

  @Test("an account that is named twice goes once; nobody named, nothing done")
  func selection() throws {
    try importBoth()
    let both = try core.signOut([Person.ada.id, "ada@contoso.example", "1111"])
    #expect(both.accounts.count == 1)
    let generation = try core.header().generation
    #expect(try core.signOut([]).accounts.isEmpty)
    #expect(try core.signOut([], client: Clients.cli).accounts.isEmpty)
    #expect(try core.header().generation == generation)
    let twice = try core.signOut([Person.bob.id, Person.bob.username], client: Clients.cli)
    #expect(twice.accounts.count == 1)
  }

  @Test("a name that nobody bears, among others that somebody does, changes nothing")
  func unknownName() throws {
    try importBoth()
    let before = try vault.backUp().map(\.1)
    let id = try core.keyID()
    for texts in [["nobody"], [Person.ada.id, "nobody"]] {
      let error = #expect(throws: VaultError.self) { try core.signOut(texts) }
      #expect(error?.name == "noAccount")
      let client = #expect(throws: VaultError.self) { try core.signOut(texts, client: "c") }
      #expect(client?.name == "noAccount")
    }
    #expect(try vault.backUp().map(\.1) == before)
    #expect(try vault.keyringGenerations(id.groupID) == [1])
  }

  @Test("all accounts and all that belongs to none go at once")
  func everything() throws {
    try core.importCache(
      Person.ada.cache() + Person.bob.cache()
        + MSALCache(apps: [.init(clientID: "c", environment: "e", familyID: "1")]))
    let backup = try vault.backUp()
    #expect(try core.signOutAll().accounts.count == 2)
    #expect(try core.accounts(.all).emptyReason == .noAccounts)
    #expect(try core.exportCache(.all) == MSALCache())
    #expect(try opens(backup) == 0)
    #expect(try core.signOutAll().isClean)
  }

  @Test("one client goes, the others and the family's token stay, and copies open no more")
  func perClient() throws {
    try core.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [
          Person.ada.refresh("fake-frt", family: "1"),
          Person.ada.refresh("fake-rt-editor", client: Clients.editor),
          Person.ada.access("fake-at-editor", client: Clients.editor),
        ]))
    try core.setAlias("work", of: Person.ada.id)
    try core.switchTo("work")
    let backup = try vault.backUp()

    let report = try core.signOut(["work"], client: Clients.cli.uppercased())

    #expect(report.isClean && report.accounts.count == 1)
    #expect(try opens(backup) == 0)
    let fresh = vault.core()
    let account = try fresh.accounts(.all).accounts[0]
    #expect(account.alias == "work" && account.isCurrent && account.isSignedIn)
    let secrets = try fresh.exportCache(.all).tokens.map { $0.secret.reveal() }
    #expect(Set(secrets) == ["fake-frt", "fake-rt-editor", "fake-at-editor"])
    #expect(
      try fresh.accounts(AccountQuery(clientID: Clients.cli, signedIn: true)).accounts.isEmpty)
    #expect(
      try fresh.accounts(AccountQuery(clientID: Clients.editor, signedIn: true)).accounts.count == 1
    )
    #expect(try fresh.read { try $0.verify() }.isSound)
  }

  @Test("what an import brought beside the account and names it goes too; the rest stays")
  func extras() throws {
    let json = """
      {"Account":{"a":{"home_account_id":"\(Person.ada.id)","environment":"login.windows.net",
        "realm":"\(Person.contoso)","username":"ada@contoso.example","authority_type":"MSSTS"}},
       "AppMetadata":{"m":{"client_id":"c","environment":"login.windows.net","family_id":"1"}},
       "AccountMetadata":[{"home_account_id":"\(Person.ada.id.uppercased())","x":"fake-of-ada"}],
       "Others":[{"home_account_id":"\(Person.bob.id)","x":"fake-of-bob"}],
       "BoundRefreshToken":{"k":{"home_account_id":"\(Person.ada.id)",
        "secret":"fake-bound"}}}
      """
    let cache = try MSALCache(json: Array(json.utf8))
    #expect(cache.tokens.map(\.credential.environment) == [""])
    try core.importCache(cache)
    #expect(try core.accounts(.all).accounts.count == 1)
    #expect(try core.exportCache(.all).json() == cache.json())
    try core.signOut([Person.ada.id])
    let left = String(decoding: try core.exportCache(.all).json(), as: UTF8.self)
    #expect(left.contains("fake-of-bob") && left.contains(#""family_id":"1""#))
    #expect(!left.contains("fake-of-ada") && !left.contains("fake-bound"))
  }

  @Test("a foreign token that came before its account joins it, or goes with it")
  func unresolvedEnvironment() throws {
    let json = """
      {"AccessToken":{},"BoundRefreshToken":{"k":{"home_account_id":"\(Person.ada.id)",
        "secret":"fake-bound"}}}
      """
    let foreign = try MSALCache(json: Array(json.utf8))
    try core.importCache(foreign)
    try core.importCache(Person.ada.cache())
    #expect(try core.accounts(.all).accounts.count == 2)
    #expect(try core.signOut([Person.ada.id]).accounts.map(\.username) == ["ada@contoso.example"])
    #expect(try core.accounts(.all).emptyReason == .noAccounts)
    // The other way round it has a place to go.
    try core.importCache(Person.ada.cache())
    try core.importCache(foreign)
    #expect(try core.accounts(.all).accounts.count == 1)
  }

  @Test("a client's foreign token that came before its account goes with the client")
  func unresolvedEnvironmentOfClient() throws {
    let json = [Clients.cli, Clients.editor].map { client in
      #""\#(client)":{"home_account_id":"\#(Person.ada.id)","client_id":"\#(client)","#
        + #""secret":"fake-bound-\#(client)"}"#
    }
    let cache = #"{"AccessToken":{},"BoundRefreshToken":{\#(json.joined(separator: ","))}}"#
    try core.importCache(try MSALCache(json: Array(cache.utf8)))
    try core.importCache(Person.ada.cache())
    #expect(try core.signOut([Person.ada.id], client: Clients.cli).accounts.count == 1)
    let left = String(decoding: try vault.core().exportCache(.all).json(), as: UTF8.self)
    #expect(!left.contains("fake-bound-\(Clients.cli)"))
    #expect(left.contains("fake-bound-\(Clients.editor)"))
    #expect(try vault.core().accounts(.all).accounts.count == 2)
    #expect(try core.signOut([Person.ada.id], client: Clients.editor).accounts.count == 1)
    #expect(try vault.core().accounts(.all).usernames == ["ada@contoso.example"])
    #expect(try vault.core().read { try $0.verify() }.isSound)
  }

  @Test("damage in one account lets the others be signed out, and is never deleted unasked")
  func damage() throws {
    try importBoth()
    core.close()
    try Database(path: vault.file().path, busyMilliseconds: 0).execute(
      "UPDATE account SET sheet = zeroblob(length(sheet)) WHERE id = 1")
    let fresh = vault.core()
    let names = [Person.ada, .bob]
    let listed = fresh.listingOrError()
    #expect(listed == "damaged" || listed == "1 damaged")
    let all = #expect(throws: VaultError.self) { try fresh.signOutAll() }
    guard case .damaged? = all?.store else {
      Issue.record("all were signed out of a damaged group")
      return
    }
    let results = names.map { person -> Bool in
      do {
        try fresh.signOut([person.id])
        return true
      } catch { return false }
    }
    #expect(results.filter { $0 }.count == 1)
    #expect(try vault.core().read { $0.state.accountCount } == 1)
  }
}

extension GroupSession {
  fileprivate func listingOrError() -> String {
    do {
      return "\(try accounts(.all).damagedRows) damaged"
    } catch {
      if case .damaged? = error.store { return "damaged" }
      return "\(error)"
    }
  }
}
