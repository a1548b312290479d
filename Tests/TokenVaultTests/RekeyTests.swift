import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

extension GroupCreationAndCustodyTests {
  @Test("a group moves between all custodies, and what kept its key before opens it no more")
  func rekey() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try KeyFileCustodian.create(path: path)
    func core() -> GroupSession {
      vault.core {
        $0.passphrase = Self.answering("fake-passphrase")
        $0.keyFile = path
      }
    }
    try core().importCache(Person.ada.cache())
    let custodies: [GroupHeader.Custody] = [
      .passphrase, .keyFile, .secretService, .keyFile, .passphrase, .secretService,
    ]
    let id = try core().keyID()
    for (step, custody) in custodies.enumerated() {
      try core().rekey(to: custody)
      #expect(try core().custody() == custody)
      #expect(try core().tokenText() == "fake-at-ada@contoso.example")
      let kept = try vault.keyringGenerations(id.groupID)
      #expect(kept == (custody == .secretService ? [step + 2] : []), "\(custody)")
      #expect(try core().read { try $0.verify() }.isSound)
    }
    try core().rekey()
    #expect(try core().custody() == .secretService)
    #expect(try vault.keyringGenerations(id.groupID) == [8])
  }

  @Test("a former key that outlives a rekey is told, and the group has its new key all the same")
  func formerKeyStays() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    func core(_ meanwhile: @escaping @Sendable () throws -> Void = {}) -> GroupSession {
      vault.core {
        $0.passphrase = { purpose in
          if case .create = purpose { try meanwhile() }
          return try SecretBytes(copying: Array("fake-passphrase".utf8))
        }
      }
    }
    try core().importCache(Person.ada.cache())
    let id = try core().keyID()
    let left = try core { try session.freezeDaemon() }.rekey(to: .passphrase)
    #expect(left?.custody == .timedOut)
    #expect(try core().custody() == .passphrase)
    try session.thawDaemon()
    #expect(try core().tokenText() == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  @Test("a rekey to another key file that was cut short on either side of its commit opens")
  func keyFileRekeyCutShort() throws {
    let vault = try TestVault()
    let files = ["first", "second"].map { vault.home.appending(path: $0).path }
    for path in files { try KeyFileCustodian.create(path: path) }
    try vault.save(try manifest(.keyFile(path: files[0])))
    try vault.core().importCache(Person.ada.cache())
    let manifests = vault.core().configuration.manifests
    try manifests.stage(try manifest(.keyFile(path: files[1])))
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
    try vault.core().rekey(to: .keyFile, keyFile: files[1])
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
    try manifests.unstage(.universalStorage)
    let lost = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(lost?.store == .wrongKey)
    // From another custody, where the manifest in force names no file at all.
    try manifests.stage(try manifest(.keyFile(path: files[1])))
    try vault.save(try manifest(.passphrase))
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
  }

  @Test("a former key that a power cut brings back after the group left the keyring is deleted")
  func keyComesBackAfterLeaving() throws {
    let vault = try TestVault()
    func core() -> GroupSession {
      vault.core { $0.passphrase = Self.answering("fake-passphrase") }
    }
    try core().importCache(Person.ada.cache())
    let id = try core().keyID()
    let key = try vault.custodian.key(id)
    try core().rekey(to: .passphrase)
    #expect(try vault.keyringGenerations(id.groupID) == [])
    func lookIsNoted() throws -> Bool { try core().read { $0.hasDeletionChecks } }
    // Deleted in the second boot, which the next power cut undoes again.
    for boot in ["second boot", "third boot"] {
      try vault.custodian.store(key, as: id)
      vault.boot.withLock { $0 = boot }
      #expect(try core().tokenText() == "fake-at-ada@contoso.example")
      #expect(try vault.keyringGenerations(id.groupID) == [], "\(boot)")
      #expect(try lookIsNoted(), "\(boot)")
    }
    // A sign-out does not forget it.
    try core().signOut([Person.ada.id])
    #expect(try lookIsNoted())
    vault.boot.withLock { $0 = "fourth boot" }
    #expect(try core().accounts(.all).accounts.isEmpty)
    #expect(try !lookIsNoted())
  }

  @Test("a group that left the keyring has no bridges, and waits for a hung one once in a boot")
  func hungAfterLeaving() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    func core() -> GroupSession {
      vault.core { $0.passphrase = Self.answering("fake-passphrase") }
    }
    try core().importCache(Person.ada.cache() + Person.bob.cache())
    let id = try core().keyID()
    let key = try vault.custodian.key(id)
    try core().signOut([Person.bob.id])
    try core().rekey(to: .passphrase)
    #expect(try LockedGroup(path: vault.file().path).generationsWithWrappedSuccessorKey() == [])
    try vault.custodian.store(key, as: id)
    vault.boot.withLock { $0 = "second boot" }
    try session.freezeDaemon()
    #expect(try core().tokenText() == "fake-at-ada@contoso.example")
    #expect(
      try core().read {
        $0.hasDeletionChecks && !$0.hasDueDeletionChecks(boot: "second boot")
      })
    try session.thawDaemon()
    vault.boot.withLock { $0 = "third boot" }
    #expect(try core().tokenText() == "fake-at-ada@contoso.example")
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  private func opened(_ session: GroupSession) throws -> UnlockedGroup {
    try KeyRetrieval(configuration: session.configuration).open(session.configuration.groupPath)
  }

  /// A commit that fails while the log is synced leaves its frames behind those that count; with
  /// the last connection gone, the next recovery takes them for committed.
  @Test("a commit in doubt that may come back from the log never loses its only key")
  func commitInDoubt() throws {
    let vault = try TestVault(manifest: try manifest(.passphrase))
    func core() -> GroupSession {
      vault.core { $0.passphrase = Self.answering("fake-passphrase") }
    }
    try core().importCache(Person.ada.cache())
    let group = try opened(core())
    try group.write { _ in }
    let before = try vault.backUp()

    // The same commit over a copy, as the log would have it.
    let copy = try TestVault(manifest: try manifest(.passphrase))
    try FileSafety.makeDirectory(copy.directory.appending(path: "groups").path)
    try copy.restore(
      before.map {
        (
          copy.file().deletingLastPathComponent()
            .appending(path: $0.0.lastPathComponent), $0.1
        )
      })
    let doubtful = try SecretBytes.random(count: 32)
    let other = try opened(
      copy.core { $0.passphrase = Self.answering("fake-passphrase") })
    try other.write {
      _ = try $0.rotate(
        to: doubtful, erasing: [], boot: "first boot", wrapsSuccessorKey: true,
        deletesOldKey: false)
      try $0.setCustody(.secretService)
      try $0.removeSlot(.custody)
    }
    let log = try Data(contentsOf: URL(filePath: copy.file().path + "-wal"))
    let length = try #require(before.last?.1.count)
    #expect(log.count > length && log.prefix(length) == before.last?.1)
    let id = try core().keyID(2)
    try vault.custodian.store(doubtful, as: id)
    let handle = try FileHandle(forWritingTo: URL(filePath: vault.file().path + "-wal"))
    try handle.seek(toOffset: UInt64(length))
    try handle.write(contentsOf: log.dropFirst(length))
    try handle.close()

    #expect(throws: StoreError.diskFull) {
      _ = try FileLock.hold(core().configuration.lockPath, waiting: 0) {
        try Rotation(core().configuration).run(
          group, to: .secretService, finally: { _ in throw StoreError.diskFull }, { _ in [] })
      }
    }
    let kept = try vault.keyringGenerations(id.groupID)
    // The machine stops here: only what is on the disk counts.
    let after = try vault.backUp()
    let third = try TestVault(session: vault.session, manifest: try manifest(.passphrase))
    try FileSafety.makeDirectory(third.directory.appending(path: "groups").path)
    try third.restore(
      after.map {
        (
          third.file().deletingLastPathComponent()
            .appending(path: $0.0.lastPathComponent), $0.1
        )
      })
    let opened = third.core { $0.passphrase = Self.answering("fake-passphrase") }
    #expect(try opened.tokenText() == "fake-at-ada@contoso.example")
    #expect(try opened.custody() == .passphrase)
    #expect(kept == [])
    withExtendedLifetime((group, other)) {}
  }

  @Test("the recovery code opens a group whose keyring lost the key, and ends with a rekey")
  func recoveryCode() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache() + Person.bob.cache())
    let code = try core.makeRecoveryCode()
    try core.signOut([Person.bob.id])
    core.close()
    try vault.custodian.delete(try core.keyID())
    let missing = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(missing?.custody == .keyMissing(generation: 2))

    let rescued = vault.core()
    try rescued.open(recoveryCode: code)
    #expect(try rescued.accounts(.all).usernames == ["ada@contoso.example"])
    try rescued.rekey()
    #expect(try vault.core().tokenText() == "fake-at-ada@contoso.example")
    let void = #expect(throws: VaultError.self) { try vault.core().open(recoveryCode: code) }
    #expect(void?.custody == .badRecoveryCode)
    let other = try core.makeRecoveryCode()
    let second = try vault.core().makeRecoveryCode()
    let replaced = #expect(throws: VaultError.self) { try vault.core().open(recoveryCode: other) }
    #expect(replaced != nil)
    try vault.core().open(recoveryCode: second)
  }

  @Test("a header whose custody was changed opens nothing and asks for no passphrase")
  func tamperedCustody() throws {
    let vault = try TestVault()
    try vault.core().importCache(Person.ada.cache())
    var header = try vault.core().header()
    header.custody = .passphrase
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(Format.Meta.header.rawValue, try header.encoded())
    let asked = Counter()
    let core = vault.core { $0.passphrase = Self.answering("fake-passphrase", asked) }
    let error = #expect(throws: VaultError.self) { try core.accounts(.all) }
    #expect(error?.store == .damaged(rows: nil))
    #expect(asked.count.withLock { $0 } == 0)
  }

  @Test("a copy from before a sign-out is told from a lost key")
  func olderFile() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    core.close()
    let backup = try vault.backUp()
    try vault.core().signOut([Person.ada.id])
    try vault.restore(backup)
    let error = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    guard case .olderFile(_, generation: 1, newest: 2)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(throws: VaultError.self) { try vault.core().importCache(Person.bob.cache()) }
  }

  @Test("a keyring that has other items under the group's id gives the one that fits")
  func severalItems() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    let id = try core.keyID()
    core.close()
    for secret in ["not a key", Base64URL.encode([UInt8](repeating: 7, count: 32))] {
      try vault.session.run(
        [
          "secret-tool", "store", "--label", "copy \(secret.count)", "group",
          Hexadecimal.encode(id.groupID), "generation", "1", "copy", secret,
        ], input: secret)
    }
    #expect(try vault.core().accounts(.all).accounts.count == 1)
  }
}
