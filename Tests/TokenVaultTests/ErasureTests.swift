import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct ErasureTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    // Its own keyring: the tests try every secret in it, and those of other tests change meanwhile.
    vault = try TestVault(session: PrivateSecretService())
    session = vault.groupSession()
  }

  private func importBoth() throws {
    try session.importCache(Person.ada.cache() + Person.bob.cache())
  }

  /// Tries every secret of the keyring, with every device part, on a copy of the file.
  /// - Returns: how many pairs of them open it.
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
    let devices = try vault.deviceParts()
    #expect(!devices.isEmpty)
    for (secret, device) in secrets.flatMap({ secret in devices.map { (secret, $0) } }) {
      let part = try Base64URL.decodeSecret(try SecretBytes(copying: Array(secret.utf8)))
      let parts = KeyParts(keyring: part, device: try SecretBytes(copying: device))
      if try opens(other.file().path, with: parts) { opened += 1 }
    }
    return opened
  }

  private func opens(_ path: String, with parts: KeyParts) throws -> Bool {
    let locked = try LockedGroup(path: path)
    let key = try parts.key(of: locked.header.groupID)
    do { _ = try locked.unlock(key) } catch StoreError.wrongKey { return false }
    return true
  }

  @Test func anErasedAccountIsGoneFromTheFileAndItsKeyFromTheKeyring() throws {
    try importBoth()
    let old = try session.keyID()
    #expect(try vault.keyringGenerations(old.groupID) == [1])
    let backup = try vault.backUp()
    #expect(try opens(backup) == 1)

    let report = try session.signOut(["ADA@contoso.example"])

    #expect(report.accounts.map(\.username) == ["ada@contoso.example"])
    #expect(report.isClean)
    // The report has no entry for stale copies and imported files if there are none.
    #expect(
      report.entries.map(\.place)
        == SignOutReport.Place.allCases.filter { $0 != .staleCopies && $0 != .importedFile })
    #expect(try vault.keyringGenerations(old.groupID) == [2])
    #expect(try opens(backup) == 0)
    #expect(try opens(try vault.backUp()) == 1)
    let wal = try Data(contentsOf: URL(filePath: vault.file().path + "-wal"))
    #expect(wal.isEmpty)
    for session in [session, vault.groupSession()] {
      #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
      #expect(
        try session.tokenText(account: "bob@fabrikam.example") == "fake-at-Bob@fabrikam.example")
      #expect(try session.read { try $0.verify() }.isSound)
    }
  }

  @Test func damagedExtrasDoNotPreventASignOut() throws {
    var cache = Person.ada.cache() + Person.bob.cache()
    cache.apps = [
      MSALCache.App(clientID: Clients.cli, environment: "login.windows.net", familyID: "1")
    ]
    try session.importCache(cache)
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(Format.Meta.extras.rawValue, [UInt8](repeating: 7, count: 300))
    #expect(try session.signOut([Person.ada.id]).isClean)
    #expect(try vault.groupSession().accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  @Test func wrappedSuccessorKeysLeadToNothingThatWasErased() throws {
    try importBoth()
    let key = try vault.custodian.key(try session.keyID())
    try session.signOut([Person.ada.id])
    let locked = try LockedGroup(path: vault.file().path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [1])
    // An attacker with the keyring's former part and the present device part gets the new key, which
    // opens only the remaining accounts.
    let device = try vault.parts.device.key(try session.keyID())
    let part = try locked.unwrapKeyringPart(from: 1, with: key, device: device)
    let next = try KeyParts(keyring: part, device: device).key(of: locked.header.groupID)
    let group = try locked.unlock(next)
    let damaged = try group.read {
      try $0.forEachAccount { #expect($0.record.homeAccountID == Person.bob.id) }
    }
    #expect(damaged == 0)
  }

  @Test func directoryRulesOfAnErasedAccountAreRemoved() throws {
    try importBoth()
    let rules = AccountRules(vaultDirectory: vault.directory.path)
    let tags = try session.read { transaction in
      try [Person.ada, .bob].map { try session.lookup.stored(.named($0.id), in: transaction).tag }
    }
    for (tag, path) in zip(tags, ["/projects/ada", "/projects/bob"]) {
      try rules.set(AccountRule(group: session.group, account: tag, path: path))
    }
    let report = try session.signOut([Person.ada.id])
    #expect(report.entries.last?.detail == "1 removed")
    #expect(try rules.all().map(\.conditions.directory) == ["/projects/bob"])
  }

  @Test func anAccountNamedTwiceIsErasedOnceAndAnEmptyListErasesNothing() throws {
    try importBoth()
    let both = try session.signOut([Person.ada.id, "ada@contoso.example", "1111"])
    #expect(both.accounts.count == 1)
    let generation = try session.header().generation
    #expect(try session.signOut([]).accounts.isEmpty)
    #expect(try session.signOut([], client: Clients.cli).accounts.isEmpty)
    #expect(try session.header().generation == generation)
    let twice = try session.signOut([Person.bob.id, Person.bob.username], client: Clients.cli)
    #expect(twice.accounts.count == 1)
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
  }

  @Test func anUnknownNameAmongKnownOnesChangesNothing() throws {
    try importBoth()
    let before = try vault.backUp().map(\.1)
    let id = try session.keyID()
    for texts in [["nobody"], [Person.ada.id, "nobody"]] {
      let error = #expect(throws: VaultError.self) { try session.signOut(texts) }
      #expect(error?.name == "noAccount")
      let client = #expect(throws: VaultError.self) { try session.signOut(texts, client: "c") }
      #expect(client?.name == "noAccount")
    }
    #expect(try vault.backUp().map(\.1) == before)
    #expect(try vault.keyringGenerations(id.groupID) == [1])
  }

  @Test(.parity("MSALSignoutParameters.wipeCacheForAllAccounts"))
  func signOutAllErasesEveryAccountAndAllExtras() throws {
    try session.importCache(
      Person.ada.cache() + Person.bob.cache()
        + MSALCache(apps: [.init(clientID: "c", environment: "e", familyID: "1")]))
    let backup = try vault.backUp()
    #expect(try session.signOutAll().accounts.count == 2)
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
    #expect(try session.exportCache(.all) == MSALCache())
    #expect(try opens(backup) == 0)
    #expect(try session.signOutAll().isClean)
  }

  /// Copies of the group file from before do not open any more.
  @Test func aClientsSignOutKeepsOtherClientsAndTheFamilyToken() throws {
    try session.importCache(
      Person.ada.cache()
        + MSALCache(tokens: [
          Person.ada.refresh("fake-frt", family: "1"),
          Person.ada.refresh("fake-rt-editor", client: Clients.editor),
          Person.ada.access("fake-at-editor", client: Clients.editor),
        ]))
    try session.setAlias("work", of: Person.ada.id)
    try session.switchTo("work")
    let backup = try vault.backUp()

    let report = try session.signOut(["work"], client: Clients.cli.uppercased())

    #expect(report.isClean && report.accounts.count == 1)
    #expect(try opens(backup) == 0)
    let fresh = vault.groupSession()
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

  @Test func importedExtrasThatNameTheAccountAreErasedWithIt() throws {
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
    try session.importCache(cache)
    #expect(try session.accounts(.all).accounts.count == 1)
    #expect(try session.exportCache(.all).json() == cache.json())
    try session.signOut([Person.ada.id])
    let left = String(decoding: try session.exportCache(.all).json(), as: UTF8.self)
    #expect(left.contains("fake-of-bob") && left.contains(#""family_id":"1""#))
    #expect(!left.contains("fake-of-ada") && !left.contains("fake-bound"))
  }

  /// If the account comes first, the token joins it.
  @Test func aForeignTokenImportedBeforeItsAccountIsErasedWithIt() throws {
    let json = """
      {"AccessToken":{},"BoundRefreshToken":{"k":{"home_account_id":"\(Person.ada.id)",
        "secret":"fake-bound"}}}
      """
    let foreign = try MSALCache(json: Array(json.utf8))
    try session.importCache(foreign)
    try session.importCache(Person.ada.cache())
    #expect(try session.accounts(.all).accounts.count == 2)
    #expect(
      try session.signOut([Person.ada.id]).accounts.map(\.username) == ["ada@contoso.example"])
    #expect(try session.accounts(.all).emptyReason == .noAccounts)
    // In the other order the token joins the account.
    try session.importCache(Person.ada.cache())
    try session.importCache(foreign)
    #expect(try session.accounts(.all).accounts.count == 1)
  }

  @Test func aForeignTokenImportedBeforeItsAccountIsErasedWithItsClient() throws {
    let json = [Clients.cli, Clients.editor].map { client in
      #""\#(client)":{"home_account_id":"\#(Person.ada.id)","client_id":"\#(client)","#
        + #""secret":"fake-bound-\#(client)"}"#
    }
    let cache = #"{"AccessToken":{},"BoundRefreshToken":{\#(json.joined(separator: ","))}}"#
    try session.importCache(try MSALCache(json: Array(cache.utf8)))
    try session.importCache(Person.ada.cache())
    #expect(try session.signOut([Person.ada.id], client: Clients.cli).accounts.count == 1)
    let left = String(decoding: try vault.groupSession().exportCache(.all).json(), as: UTF8.self)
    #expect(!left.contains("fake-bound-\(Clients.cli)"))
    #expect(left.contains("fake-bound-\(Clients.editor)"))
    #expect(try vault.groupSession().accounts(.all).accounts.count == 2)
    // The token of the other client kept the account until here.
    #expect(try session.signOut([Person.ada.id], client: Clients.editor).accounts.count == 1)
    #expect(try vault.groupSession().accounts(.all).emptyReason == .noAccounts)
    #expect(try vault.groupSession().read { try $0.verify() }.isSound)
  }

  /// Damage is never deleted without a request.
  @Test func aDamagedAccountIsKeptAndTheOthersCanBeSignedOut() throws {
    try importBoth()
    session.close()
    try Database(path: vault.file().path, busyMilliseconds: 0).execute(
      "UPDATE account SET sheet = zeroblob(length(sheet)) WHERE id = 1")
    let fresh = vault.groupSession()
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
    #expect(try vault.groupSession().read { $0.state.accountCount } == 1)
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
