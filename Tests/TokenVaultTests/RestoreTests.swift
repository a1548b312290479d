import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// Backups and restores: which group, which content, which keys.
@Suite(.timeLimit(.minutes(5))) struct RestoreTests {
  private let vault: TestVault
  private let session: GroupSession
  private let backup: String

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
    backup = vault.home.appending(path: "backup").path
    try session.importCache(Person.ada.cache() + Person.bob.cache())
  }

  private func restored(as other: GroupName) throws -> GroupSession {
    let copy = vault.groupSession(other)
    let restore = try Restore(session, from: backup, replacing: false)
    try restore.open()
    _ = try restore.fill(copy, from: GroupManifest(plain: other))
    return copy
  }

  @Test func aCopyUnderAnotherNameHasTheWholeContentAndNoKeyOfItsSource() throws {
    try session.addSecret(
      Redacted(Array("hunter2".utf8)), service: "git.example", username: "eve")
    try session.setAlias("work", of: Person.ada.id)
    try session.switchTo(Person.bob.id)
    try session.backup(to: backup)
    let other: GroupName = "com.example.copy"
    let copy = try restored(as: other)
    let (mine, its) = (try session.accounts(.all).accounts, try copy.accounts(.all).accounts)
    #expect(mine.map(\.identity) == its.map(\.identity))
    #expect(mine.map(\.alias) == its.map(\.alias))
    #expect(mine.map(\.isCurrent) == its.map(\.isCurrent))
    #expect(try session.exportCache().json() == copy.exportCache().json())
    #expect(
      try copy.token(TokenRequest(scopes: []), account: "eve").accessToken.revealText() == "hunter2"
    )
    #expect(try copy.verify().isSound)

    let (header, copied) = (
      try GroupInspection(session).header(), try GroupInspection(copy).header()
    )
    #expect(header.groupID != copied.groupID)
    try copy.withGroup { group in
      try group.withKey { key in
        let key = GenerationKey(try key.clone())
        #expect(throws: StoreError.wrongKey) {
          _ = try LockedGroup(path: vault.file().path).unlock(key.key.clone())
        }
      }
    }
    copy.close()
    try session.delete()
    #expect(try vault.groupSession(other).accounts(.all).accounts.count == 3)
  }

  @Test func aSingleAccountOfACopyNeedsNoChoice() throws {
    _ = try session.signOut([Person.bob.id])
    try session.backup(to: backup)
    // It had two accounts once, so the remaining one must be chosen, in the copy too.
    let copy = try restored(as: "com.example.two")
    #expect(throws: VaultError.self) { try copy.account(.current) }
    let single = vault.groupSession("com.example.single")
    try vault.save(GroupManifest(plain: "com.example.single"))
    try single.importCache(Person.ada.cache())
    let path = backup + ".single"
    try single.backup(to: path)
    let restore = try Restore(single, from: path, replacing: false)
    try restore.open()
    let last = vault.groupSession("com.example.last")
    _ = try restore.fill(last, from: GroupManifest(plain: "com.example.last"))
    #expect(try last.account(.current).username == Person.ada.username)
  }

  /// A key that is destroyed by a sign-out still opens a copy, and so does the name in it.
  @Test func theNameOfTheGroupIsSealedAndEndsWithARenewal() throws {
    #expect(try session.read { try $0.groupName() } == nil)
    try session.backup(to: backup)
    #expect(try session.read { try $0.groupName() } == GroupName.universalStorage.description)
    let bytes = try Data(contentsOf: URL(filePath: backup))
    #expect(bytes.range(of: Data("universalstorage".utf8)) == nil)
    _ = try session.signOut([Person.bob.id])
    #expect(try session.read { try $0.groupName() } == GroupName.universalStorage.description)
    _ = try Rekey(session).changeKey()
    #expect(try session.read { try $0.groupName() } == nil)
  }

  @Test func theHistoryIsSealedAndARenewalKeepsTheBackup() throws {
    #expect(try session.read { try $0.history() } == GroupHistory())
    try session.backup(to: backup)
    let made = try session.read { try $0.history() }
    #expect(made.backup?.path == backup)
    #expect(try made.backup?.generation == GroupInspection(session).header().generation)
    #expect(made.recoveryCodeMade == nil)
    for name in try FileManager.default.contentsOfDirectory(
      atPath: vault.directory.appending(path: "groups").path)
    {
      let file = vault.directory.appending(path: "groups/\(name)")
      #expect(try Data(contentsOf: file).range(of: Data(backup.utf8)) == nil, "\(name)")
    }
    // A sign-out keeps it, so that the backup is known to be from before.
    _ = try session.signOut([Person.bob.id])
    #expect(try session.read { try $0.history() } == made)
    _ = try Recovery(session).makeRecoveryCode { _ in }
    let renewed = try session.read { try $0.history() }
    #expect(renewed.backup == made.backup)
    #expect(renewed.recoveryCodeMade == session.now)
    _ = try Rekey(session).changeKey()
    let rekeyed = try session.read { try $0.history() }
    #expect(rekeyed.backup == made.backup && rekeyed.recoveryCodeMade == nil)
    #expect(try session.verify().isSound)
  }

  @Test func aBackupIsRecordedWithTheKeysThatOpenItLater() throws {
    func keys() throws -> Set<GroupHistory.Key>? {
      let path = vault.home.appending(path: UUID().uuidString).path
      try session.backup(to: path)
      return try session.read { try $0.history() }.backup?.keys
    }
    #expect(try keys() == [])
    _ = try Recovery(session).makeRecoveryCode { _ in }
    #expect(try keys() == [.recoveryCode])
    // A renewal ends the recovery code.
    _ = try Rekey(session).changeKey()
    #expect(try keys() == [])
  }

  /// The row is in no digest of the accounts.
  @Test func anOlderHistoryThatWasPutBackIsDamage() throws {
    try session.backup(to: backup)
    session.close()
    let file = try Database(path: vault.file().path, busyMilliseconds: 0)
    let older = try #require(try file.meta(9))
    for row in [older, nil] {
      let fresh = vault.groupSession()
      try fresh.backup(to: vault.home.appending(path: UUID().uuidString).path)
      #expect(try fresh.read { try $0.soundHistory() } != nil)
      if let row { try file.setMeta(9, row) } else { try file.removeMeta(9) }
      let content = try #require(GroupCondition(fresh).content)
      #expect(content.isHistoryDamaged && content.history == GroupHistory())
      #expect(try fresh.verify().isHistoryDamaged)
      fresh.close()
    }
  }

  /// The row says at which providers the clients of the group were used.
  @Test func anOlderRowOfExtrasThatWasPutBackIsDamage() throws {
    func remember(_ client: String) throws {
      try session.write { transaction in
        var kept = try CacheExtras.read(transaction)
        kept.apps.append(.init(clientID: client, environment: "git.example", familyID: ""))
        try CacheExtras.write(kept, transaction)
      }
    }
    func apps(_ session: GroupSession) throws -> [String] {
      try session.read { try CacheExtras.read($0).apps.map(\.clientID) }
    }
    try remember("one")
    let file = try Database(path: vault.file().path, busyMilliseconds: 0)
    let older = try #require(try file.meta(6))
    try remember("two")
    // A sign-out and a renewal seal the row again.
    _ = try session.signOut([Person.bob.id])
    _ = try Rekey(session).changeKey()
    #expect(try apps(session) == ["one", "two"])
    let present = try #require(try file.meta(6))
    try remember("three")
    session.close()
    for row in [older, present, nil] {
      if let row { try file.setMeta(6, row) } else { try file.removeMeta(6) }
      #expect(throws: VaultError.self) { try apps(vault.groupSession()) }
      // It does not become the present one with the next key.
      _ = try Rekey(vault.groupSession()).changeKey()
      #expect(throws: VaultError.self) { try apps(vault.groupSession()) }
    }
    #expect(try vault.groupSession().accounts(.all).accounts.count == 1)
    _ = try Erasure(vault.groupSession()).run(.accounts([.named(Person.ada.id)]))
    #expect(throws: VaultError.self) { try apps(vault.groupSession()) }
    // A sign-out of everything ends it, also in a group without accounts.
    _ = try Erasure(vault.groupSession()).run(.everything)
    #expect(try apps(vault.groupSession()).isEmpty)
  }

  /// Its state has no GCM tag of the row.
  @Test func theHistoryOfAnEarlierProgramIsRead() throws {
    try session.backup(to: backup)
    let made = try session.read { try $0.history() }
    try session.write { $0.state.seals = [:] }
    #expect(try session.read { try $0.history() } == made)
    #expect(try session.verify().isSound)
    try session.backup(to: backup + ".new")
    #expect(try session.read { $0.state.seals.keys.contains(9) })
  }

  @Test func aTamperedHistoryIsDamageUntilTheNextBackupIsRecorded() throws {
    try session.backup(to: backup)
    session.close()
    let file = try Database(path: vault.file().path, busyMilliseconds: 0)
    try file.execute("UPDATE meta SET value = zeroblob(length(value)) WHERE id = 9")
    let fresh = vault.groupSession()
    let content = try #require(GroupCondition(fresh).content)
    #expect(content.isHistoryDamaged && content.history == GroupHistory())
    let findings = try fresh.verify()
    #expect(findings.isHistoryDamaged && !findings.isSound && findings.isComplete)
    // The accounts are whole, and so is a copy of them.
    try fresh.backup(to: backup + ".new")
    let recorded = try #require(GroupCondition(fresh).content)
    #expect(!recorded.isHistoryDamaged && recorded.history.backup?.path == backup + ".new")
    #expect(try fresh.verify().isSound)
    let restore = try Restore(fresh, from: backup + ".new")
    try restore.open()
    #expect(restore.findings.isHistoryDamaged && restore.findings.accounts == 2)
  }

  @Test func aRecoveryCodeIsRecordedOverATamperedHistory() throws {
    try session.backup(to: backup)
    session.close()
    let file = try Database(path: vault.file().path, busyMilliseconds: 0)
    try file.execute("UPDATE meta SET value = zeroblob(length(value)) WHERE id = 9")
    let fresh = vault.groupSession()
    _ = try Recovery(fresh).makeRecoveryCode { _ in }
    #expect(try fresh.read { try $0.history() }.recoveryCodeMade == fresh.now)
  }

  @Test func aGroupThatChangedAfterTheQuestionIsNotReplaced() throws {
    try session.backup(to: backup)
    let restore = try Restore(vault.groupSession(), from: backup)
    try restore.open()
    try session.setAlias("work", of: Person.ada.id)
    let error = #expect(throws: VaultError.self) { try restore.install() }
    #expect(error?.name == "store")
    #expect(try session.accounts(.all).accounts.contains { $0.alias == "work" })
  }

  @Test func anAccountOfAnotherIssuerThanThatOfTheBackupIsALoss() throws {
    try session.importCache(ImportedIssuerTests.cache(ImportedIssuerTests.one))
    try session.write { transaction in
      let stored = try session.lookup.stored(.named("ada@id.example"), in: transaction)
      #expect(try transaction.setIssuer("", of: stored) != nil)
    }
    try session.backup(to: backup)
    try session.write { transaction in
      let stored = try session.lookup.stored(.named("ada@id.example"), in: transaction)
      #expect(try transaction.setIssuer(ImportedIssuerTests.one, of: stored) != nil)
    }
    try session.importCache(ImportedIssuerTests.cache(ImportedIssuerTests.two))
    let restore = try Restore(vault.groupSession(), from: backup)
    try restore.open()
    // The account that got its issuer meanwhile is in the backup; the other one is not.
    #expect(restore.loss.accounts.map(\.issuer) == [ImportedIssuerTests.two])
    #expect(restore.loss.newerTokens.isEmpty)
  }

  @Test func aRehearsedImportStoresNothing() throws {
    let other = vault.groupSession("dev.tokenvault.shared")
    let report = try CacheImport(other).run(Person.ada.cache(), isRehearsal: true)
    #expect(report.added.count == 1 && report.credentials == 2 && report.madeGroup)
    #expect(!FileManager.default.fileExists(atPath: vault.file("dev.tokenvault.shared").path))
    let update = try CacheImport(session).run(Person.ada.cache("-later"), isRehearsal: true)
    #expect(update.updated.count + update.unchanged.count == 1 && !update.madeGroup)
    #expect(try session.accounts(.all).usernames.count == 2)
  }
}
