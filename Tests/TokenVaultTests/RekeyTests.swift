import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct RekeyTests {
  @Test func aRekeyMovesBetweenAllCustodiesAndDeletesTheFormerKey() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: path)
    func session() -> GroupSession {
      vault.groupSession {
        $0.passphrase = PassphrasePrompt.entering("fake-passphrase")
        $0.keyFile = path
      }
    }
    try session().importCache(Person.ada.cache())
    let custodies: [GroupHeader.Custody] = [
      .passphrase, .keyFile, .secretService, .keyFile, .passphrase, .secretService,
    ]
    let id = try session().keyID()
    for (step, custody) in custodies.enumerated() {
      try session().rekey(to: custody)
      #expect(try session().custody() == custody)
      #expect(try session().tokenText() == "fake-at-ada@contoso.example")
      let kept = try vault.keyringGenerations(id.groupID)
      #expect(kept == (custody == .secretService ? [step + 2] : []), "\(custody)")
      #expect(try session().read { try $0.verify() }.isSound)
    }
    try session().rekey()
    #expect(try session().custody() == .secretService)
    #expect(try vault.keyringGenerations(id.groupID) == [8])
  }

  /// The group has its new key nevertheless.
  @Test func aFormerKeyThatOutlivesARekeyIsReported() throws {
    let keyring = try PrivateSecretService()
    let vault = try TestVault(session: keyring)
    func session(_ meanwhile: @escaping @Sendable () throws -> Void = {}) -> GroupSession {
      vault.groupSession {
        $0.passphrase = { purpose in
          if case .create = purpose { try meanwhile() }
          return try SecretBytes(copying: Array("fake-passphrase".utf8))
        }
      }
    }
    try session().importCache(Person.ada.cache())
    let id = try session().keyID()
    let left = try session { try keyring.freezeDaemon() }.rekey(to: .passphrase)
    #expect(left?.custody == .timedOut)
    #expect(try session().custody() == .passphrase)
    try keyring.thawDaemon()
    #expect(try session().tokenText() == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  /// The interruption may be before or after the commit.
  @Test func aGroupOpensAfterAnInterruptedRekeyToAnotherKeyFile() throws {
    let vault = try TestVault()
    let files = ["first", "second"].map { vault.home.appending(path: $0).path }
    for path in files { try KeyFileCustodian.create(path: path) }
    try vault.save(GroupManifest.with(.keyFile(path: files[0])))
    try vault.groupSession().importCache(Person.ada.cache())
    let manifests = vault.groupSession().configuration.manifests
    try manifests.stage(GroupManifest.with(.keyFile(path: files[1])))
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
    try vault.groupSession().rekey(to: .keyFile, keyFile: files[1])
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
    try manifests.unstage(.universalStorage)
    let lost = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(lost?.store == .wrongKey)
    // The same from another custody, when the manifest in force names no key file.
    try manifests.stage(GroupManifest.with(.keyFile(path: files[1])))
    try vault.save(GroupManifest.with(.passphrase))
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
  }

  /// A killed rekey has committed, and left its manifest staged.
  @Test(arguments: [false, true], [false, true])
  func aRekeyAfterOneThatWasKilledPutsItsCustodyIntoTheManifest(
    isKeyFile: Bool, isRepeated: Bool
  ) throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    if isKeyFile { try KeyFileCustodian.create(path: path) }
    let custody: GroupManifest.Custody = isKeyFile ? .keyFile(path: path) : .passphrase
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    }
    try session().importCache(Person.ada.cache())
    let manifests = vault.groupSession().configuration.manifests
    try manifests.stage(GroupManifest.with(custody))
    try session().rekey(to: GroupHeader.Custody(custody), keyFile: isKeyFile ? path : nil)
    var changed = try manifests.find(.universalStorage).manifest
    #expect(changed.custody == .secretService)
    changed.title = "Changed meanwhile"
    try manifests.save(changed)
    _ = try Rekey(session()).run(to: isRepeated ? custody : nil)
    let inForce = try manifests.find(.universalStorage).manifest
    #expect(inForce.custody == custody)
    #expect(inForce.title == "Changed meanwhile")
    #expect(try manifests.staged(.universalStorage) == nil)
    #expect(try session().custody() == GroupHeader.Custody(custody))
    #expect(try session().tokenText() == "fake-at-ada@contoso.example")
  }

  @Test func aRekeyAfterOneThatWasKilledKeepsAManifestThatWasCorrected() throws {
    let vault = try TestVault()
    let files = ["first", "second"].map { vault.home.appending(path: $0).path }
    try KeyFileCustodian.create(path: files[0])
    try vault.groupSession().importCache(Person.ada.cache())
    let manifests = vault.groupSession().configuration.manifests
    try manifests.stage(GroupManifest.with(.keyFile(path: files[0])))
    try vault.groupSession().rekey(to: .keyFile, keyFile: files[0])
    try FileManager.default.copyItem(atPath: files[0], toPath: files[1])
    try vault.save(GroupManifest.with(.keyFile(path: files[1])))
    _ = try Rekey(vault.groupSession()).run()
    #expect(
      try manifests.find(.universalStorage).manifest.custody == .keyFile(path: files[1]))
    #expect(try vault.groupSession().tokenText() == "fake-at-ada@contoso.example")
    #expect(try manifests.staged(.universalStorage) == nil)
  }

  /// The group has moved from the keyring to a passphrase before.
  @Test func aFormerKeyThatAPowerCutRestoresIsDeletedAgain() throws {
    let vault = try TestVault()
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    }
    try session().importCache(Person.ada.cache())
    let id = try session().keyID()
    let key = try vault.custodian.key(id)
    try session().rekey(to: .passphrase)
    #expect(try vault.keyringGenerations(id.groupID) == [])
    func lookIsNoted() throws -> Bool { try session().read { $0.hasDeletionChecks } }
    // The next power cut undoes the deletion of the second boot.
    for boot in ["second boot", "third boot"] {
      try vault.custodian.store(key, as: id)
      vault.boot.withLock { $0 = boot }
      #expect(try session().tokenText() == "fake-at-ada@contoso.example")
      #expect(try vault.keyringGenerations(id.groupID) == [], "\(boot)")
      #expect(try lookIsNoted(), "\(boot)")
    }
    // A sign-out keeps the note.
    try session().signOut([Person.ada.id])
    #expect(try lookIsNoted())
    vault.boot.withLock { $0 = "fourth boot" }
    #expect(try session().accounts(.all).accounts.isEmpty)
    #expect(try !lookIsNoted())
  }

  @Test func aGroupThatLeftTheKeyringWaitsForAHungOneOncePerBoot() throws {
    let keyring = try PrivateSecretService()
    let vault = try TestVault(session: keyring)
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    }
    try session().importCache(Person.ada.cache() + Person.bob.cache())
    let id = try session().keyID()
    let key = try vault.custodian.key(id)
    try session().signOut([Person.bob.id])
    try session().rekey(to: .passphrase)
    #expect(try LockedGroup(path: vault.file().path).generationsWithWrappedSuccessorKey() == [])
    try vault.custodian.store(key, as: id)
    vault.boot.withLock { $0 = "second boot" }
    try keyring.freezeDaemon()
    #expect(try session().tokenText(account: Person.ada.id) == "fake-at-ada@contoso.example")
    #expect(
      try session().read {
        $0.hasDeletionChecks && !$0.hasDueDeletionChecks(boot: "second boot")
      })
    try keyring.thawDaemon()
    vault.boot.withLock { $0 = "third boot" }
    #expect(try session().tokenText(account: Person.ada.id) == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  /// Deleting the former key may wait for a prompt, or be interrupted; the former code is void then.
  @Test func aNewRecoveryCodeIsShownBeforeTheFormerKeyIsDeleted() throws {
    let vault = try TestVault(session: PrivateSecretService())
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let id = try session.keyID()
    var stored: [Int]?
    _ = try Recovery(session).makeRecoveryCode { _ in
      do { stored = try vault.keyringGenerations(id.groupID) } catch { Issue.record(error) }
    }
    #expect(stored == [1, 2])
    #expect(try vault.keyringGenerations(id.groupID) == [2])
  }

  private func opened(_ session: GroupSession) throws -> UnlockedGroup {
    try KeyRetrieval(configuration: session.configuration).open(session.configuration.groupPath)
  }

  /// A commit that fails while the log is synced leaves its frames in the log, after the valid
  /// ones. Once the last connection is closed, the next recovery treats them as committed.
  @Test func aCommitInDoubtNeverLosesItsOnlyKey() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    func session() -> GroupSession {
      vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    }
    try session().importCache(Person.ada.cache())
    let group = try opened(session())
    try group.write { _ in }
    let before = try vault.backUp()

    // The same commit on a copy gives the frames that the log would have.
    let copy = try TestVault(manifest: GroupManifest.with(.passphrase))
    try FileSafety.makeDirectory(copy.directory.appending(path: "groups").path)
    try copy.restore(
      before.map {
        (
          copy.file().deletingLastPathComponent()
            .appending(path: $0.0.lastPathComponent), $0.1
        )
      })
    let doubtful = try KeyParts()
    let other = try opened(
      copy.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") })
    try other.write {
      _ = try $0.rotate(
        to: GenerationKey(doubtful, of: other.header.groupID), erasing: [], boot: "first boot",
        deletesOldKey: false)
      try $0.setCustody(.secretService)
      try $0.removeSlot(.custody)
    }
    let log = try Data(contentsOf: URL(filePath: copy.file().path + "-wal"))
    let length = try #require(before.last?.1.count)
    #expect(log.count > length && log.prefix(length) == before.last?.1)
    let id = try session().keyID(2)
    try vault.parts.store(doubtful, as: id)
    let handle = try FileHandle(forWritingTo: URL(filePath: vault.file().path + "-wal"))
    try handle.seek(toOffset: UInt64(length))
    try handle.write(contentsOf: log.dropFirst(length))
    try handle.close()

    #expect(throws: StoreError.diskFull) {
      _ = try FileLock.hold(session().configuration.lockPath, waiting: 0) {
        try Rotation(session().configuration).run(
          group, to: .secretService, finally: { _ in throw StoreError.diskFull }, { _ in [] })
      }
    }
    let kept = try vault.keyringGenerations(id.groupID)
    // The machine stops here: only the content of the disk remains.
    let after = try vault.backUp()
    let third = try TestVault(session: vault.session, manifest: GroupManifest.with(.passphrase))
    try FileSafety.makeDirectory(third.directory.appending(path: "groups").path)
    try third.restore(
      after.map {
        (
          third.file().deletingLastPathComponent()
            .appending(path: $0.0.lastPathComponent), $0.1
        )
      })
    let opened = third.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    #expect(try opened.tokenText() == "fake-at-ada@contoso.example")
    #expect(try opened.custody() == .passphrase)
    #expect(kept == [])
    withExtendedLifetime((group, other)) {}
  }

  @Test func aRecoveryCodeOpensAGroupWithoutItsKeyUntilTheNextRekey() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    let code = try session.makeRecoveryCode()
    try session.signOut([Person.bob.id])
    session.close()
    try vault.custodian.delete(try session.keyID())
    let missing = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(missing?.custody == .keyMissing(generation: 3))

    let rescued = vault.groupSession()
    try rescued.open(recoveryCode: code)
    #expect(try rescued.accounts(.all).usernames == ["ada@contoso.example"])
    try rescued.rekey()
    #expect(
      try vault.groupSession().tokenText(account: Person.ada.id) == "fake-at-ada@contoso.example")
    let void = #expect(throws: VaultError.self) {
      try vault.groupSession().open(recoveryCode: code)
    }
    #expect(void?.custody == .badRecoveryCode)
    let other = try session.makeRecoveryCode()
    let second = try vault.groupSession().makeRecoveryCode()
    let replaced = #expect(throws: VaultError.self) {
      try vault.groupSession().open(recoveryCode: other)
    }
    #expect(replaced != nil)
    try vault.groupSession().open(recoveryCode: second)
  }

  @Test func aTamperedCustodyOpensNothingAndPromptsForNothing() throws {
    let vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache())
    var header = try vault.groupSession().header()
    header.custody = .passphrase
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(Format.Meta.header.rawValue, try header.encoded())
    let prompts = PassphrasePrompt.Counter()
    let session = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("fake-passphrase", prompts)
    }
    let error = #expect(throws: VaultError.self) { try session.accounts(.all) }
    #expect(error?.store == .damaged(rows: nil))
    #expect(prompts.count.withLock { $0 } == 0)
  }

  @Test func aCopyFromBeforeASignOutIsDistinguishedFromALostKey() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    session.close()
    let backup = try vault.backUp()
    try vault.groupSession().signOut([Person.ada.id])
    try vault.restore(backup)
    let error = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    guard case .olderFile(_, generation: 1, newest: 2)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: VaultError.self) { try vault.groupSession().importCache(Person.bob.cache()) }
  }

  @Test func theMatchingKeyIsChosenAmongSeveralItemsOfTheKeyring() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let id = try session.keyID()
    session.close()
    for secret in ["not a key", Base64URL.encode([UInt8](repeating: 7, count: 32))] {
      try vault.session.run(
        [
          "secret-tool", "store", "--label", "copy \(secret.count)", "group",
          Hexadecimal.encode(id.groupID), "generation", "1", "copy", secret,
        ], input: secret)
    }
    #expect(try vault.groupSession().accounts(.all).accounts.count == 1)
  }
}
