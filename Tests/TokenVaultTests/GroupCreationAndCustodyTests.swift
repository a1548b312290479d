import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite("Making groups and keeping their keys")
struct GroupCreationAndCustodyTests {
  func files(_ vault: TestVault) throws -> [String] {
    let folder = vault.directory.appending(path: "groups").path
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  func manifest(_ custody: GroupManifest.Custody) throws -> GroupManifest {
    GroupManifest(
      name: .universalStorage, title: "test", members: [], custody: custody, deviceMode: .private)
  }

  static func answering(
    _ passphrase: String, _ asked: Counter = Counter()
  ) -> @Sendable (VaultConfiguration.PassphrasePurpose) throws -> SecretBytes? {
    { _ in
      asked.count.withLock { $0 += 1 }
      return try SecretBytes(copying: Array(passphrase.utf8))
    }
  }

  final class Counter: Sendable { let count = Mutex(0) }

  // MARK: Making

  @Test("a group is one file beside nothing, readable by its owner only")
  func creation() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.create()
    core.close()
    #expect(try files(vault) == ["com.microsoft.identity.universalstorage.vault"])
    let mode = try FileManager.default.attributesOfItem(atPath: vault.file().path)
    #expect(mode[.posixPermissions] as? Int == 0o600)
    #expect(try vault.keyringGenerations(try core.keyID().groupID) == [1])
  }

  @Test("an existing file is never written over, not even one whose key is lost")
  func existing() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    let exists = #expect(throws: VaultError.self) { try core.create() }
    #expect(exists?.name == "groupExists")
    let id = try core.keyID()
    core.close()
    let before = try vault.backUp().map(\.1)
    try vault.custodian.delete(id)
    for attempt in 0..<2 {
      let missing = #expect(throws: VaultError.self) {
        try vault.core().importCache(Person.bob.cache())
      }
      #expect(missing?.custody == .keyMissing(generation: 1), "attempt \(attempt)")
    }
    #expect(throws: VaultError.self) { try vault.core().create() }
    #expect(try vault.backUp().map(\.1) == before)
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  @Test("a keyring that cannot keep the key leaves no group, and the next creation succeeds")
  func keyringAway() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    try session.lock()
    let locked = #expect(throws: VaultError.self) { try vault.core().create() }
    #expect(locked?.custody == .locked)
    #expect(try files(vault) == [])
    try session.unlock()
    try vault.core().create()
    try vault.core().delete()
    try session.killDaemon()
    let gone = #expect(throws: VaultError.self) { try vault.core().importCache(Person.ada.cache()) }
    #expect(gone?.custody == .noService)
    #expect(try files(vault) == [])
  }

  @Test("a creation that was cut short leaves a draft that the next one discards with its key")
  func cutShort() throws {
    let vault = try TestVault()
    let path = vault.file().path
    try FileSafety.makeDirectory(vault.directory.appending(path: "groups").path)
    let header = GroupHeader(
      groupID: try RandomBytes.make(16), generation: 1, custody: .secretService)
    let key = try SecretBytes.random(count: 32)
    _ = try GroupCreation.draft(path, header: header, key: key)
    try vault.custodian.store(key, as: GroupKeyID(groupID: header.groupID, generation: 1))
    #expect(try vault.core().accounts(.all).emptyReason == .groupDoesNotExist)
    try vault.core().create()
    #expect(try vault.keyringGenerations(header.groupID) == [])
    #expect(try files(vault) == ["com.microsoft.identity.universalstorage.vault"])
    // Half a file, from before there was a header.
    try vault.core().delete()
    try Data("SQLite format 3".utf8).write(to: URL(filePath: GroupCreation.draftPath(for: path)))
    try vault.core().create()
    #expect(try vault.core().accounts(.all).emptyReason == .noAccounts)
  }

  @Test("of many that make the group at once one does, and all use the same")
  func atOnce() throws {
    let vault = try TestVault()
    let made = Mutex<[Bool]>([])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      var person = Person.ada
      person.id = "\(number)\(person.id.dropFirst())"
      do {
        let report = try vault.core().importCache(person.cache())
        made.withLock { $0.append(report.madeGroup) }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(made.withLock { $0 }.filter { $0 }.count == 1)
    #expect(try vault.core().accounts(.all).accounts.count == 8)
  }

  @Test("a deleted group takes its keys with it, and copies of it open no more")
  func deletion() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    try core.signOut([Person.ada.id])
    let (id, backup) = (try core.keyID(), try vault.backUp())
    try core.delete()
    #expect(try files(vault) == [])
    #expect(try vault.keyringGenerations(id.groupID) == [])
    try vault.restore(backup)
    let error = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(error?.custody == .keyMissing(generation: 2))
    // As after a deletion that was cut short between the key and the file.
    try vault.core().delete()
    #expect(try files(vault) == [])
  }

  @Test("a vault that had the group open when it was deleted and made anew uses the new one")
  func madeAnew() throws {
    let vault = try TestVault()
    let core = vault.core()
    try core.importCache(Person.ada.cache())
    try vault.core().delete()
    try vault.core().importCache(Person.bob.cache())
    #expect(try core.accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  // MARK: Passphrase

  @Test("the right passphrase opens, a wrong one and none do not, and the keyring is not asked")
  func passphrase() throws {
    let vault = try TestVault(manifest: try manifest(.passphrase))
    func core(_ passphrase: String?) -> GroupSession {
      vault.core {
        $0.sessionBusAddress = nil
        $0.passphrase = passphrase.map { Self.answering($0) }
      }
    }
    let none = #expect(throws: VaultError.self) { try core(nil).create() }
    #expect(none?.custody == .passphraseRequired)
    let empty = #expect(throws: VaultError.self) { try core("").create() }
    #expect(empty?.name == "invalid")
    #expect(try files(vault) == [])
    try core("fake-passphrase").importCache(Person.ada.cache() + Person.bob.cache())
    #expect(try core("fake-passphrase").accounts(.all).accounts.count == 2)
    let wrong = #expect(throws: VaultError.self) { try core("fake-passphrasf").accounts(.all) }
    #expect(wrong?.store == .wrongKey)
    let missing = #expect(throws: VaultError.self) { try core(nil).accounts(.all) }
    #expect(missing?.custody == .passphraseRequired)
  }

  @Test("a sign-out moves the key on without asking for the passphrase again")
  func passphraseRotation() throws {
    let vault = try TestVault(manifest: try manifest(.passphrase))
    let asked = Counter()
    let core = vault.core { $0.passphrase = Self.answering("fake-passphrase", asked) }
    try core.importCache(Person.ada.cache() + Person.bob.cache())
    let before = asked.count.withLock { $0 }
    #expect(try core.signOut([Person.ada.id]).isClean)
    #expect(asked.count.withLock { $0 } == before)
    let fresh = vault.core { $0.passphrase = Self.answering("fake-passphrase") }
    #expect(try fresh.accounts(.all).usernames == ["Bob@fabrikam.example"])
    #expect(try fresh.header().generation == 2)
    #expect(try vault.keyringGenerations(try fresh.keyID().groupID) == [])
  }

  @Test("a group that is unlocked for a time asks nobody, over a rotation too, until it is locked")
  func kernelKeyring() throws {
    let vault = try TestVault(manifest: try manifest(.passphrase))
    let core = vault.core { $0.passphrase = Self.answering("fake-passphrase") }
    try core.importCache(Person.ada.cache() + Person.bob.cache())
    try core.unlock(seconds: 600)
    func silent() -> GroupSession { vault.core() }
    #expect(try silent().accounts(.all).accounts.count == 2)
    try silent().signOut([Person.ada.id])
    #expect(try silent().accounts(.all).accounts.count == 1)
    #expect(try KernelKeyring.secondsLeft(try core.keyID(1)) == nil)
    #expect((try KernelKeyring.secondsLeft(try core.keyID(2)) ?? 0) > 300)
    #expect(try silent().lock())
    #expect(try !silent().lock())
    let error = #expect(throws: VaultError.self) { try silent().accounts(.all) }
    #expect(error?.custody == .passphraseRequired)
    try core.unlock(seconds: 1)
    let end = ContinuousClock.now + .seconds(10)
    while try KernelKeyring.key(try core.keyID()) != nil, ContinuousClock.now < end {
      usleep(50_000)
    }
    let expired = #expect(throws: VaultError.self) { try silent().accounts(.all) }
    #expect(expired?.custody == .passphraseRequired)
  }

  @Test("a group of the keyring that is unlocked for a time opens while the keyring is locked")
  func kernelKeyringBesideTheKeyring() throws {
    let session = try PrivateSecretService()
    let vault = try TestVault(session: session)
    try vault.core().importCache(Person.ada.cache())
    try vault.core().unlock(seconds: 600)
    try session.lock()
    #expect(try vault.core().accounts(.all).accounts.count == 1)
    #expect(try vault.core().lock())
    let error = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(error?.custody == .locked)
  }

  // MARK: Key file

  @Test("a key file opens the group; one that others may read, write or change is refused")
  func keyFile() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try vault.save(try manifest(.keyFile(path: path)))
    let missing = #expect(throws: VaultError.self) { try vault.core().create() }
    #expect(missing?.custody == .keyFileMissing(path: path))
    #expect(try files(vault) == [])
    try KeyFileCustodian.create(path: path)
    try vault.core().importCache(Person.ada.cache() + Person.bob.cache())
    try vault.core().signOut([Person.bob.id])
    #expect(try vault.core().accounts(.all).accounts.count == 1)

    func refusal() -> KeyFileFault? {
      let error = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
      if case .keyFileUnsafe(_, let fault)? = error?.custody { return fault }
      return nil
    }
    let manager = FileManager.default
    try manager.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    #expect(refusal() == .wideMode)
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let real = path + ".real"
    try manager.moveItem(atPath: path, toPath: real)
    try manager.createSymbolicLink(atPath: path, withDestinationPath: real)
    #expect(refusal() == .symlink)
    try manager.removeItem(atPath: path)
    try manager.createDirectory(atPath: path, withIntermediateDirectories: false)
    #expect(refusal() == .notRegular)
    try manager.removeItem(atPath: path)
    try Data(repeating: 1, count: 31).write(to: URL(filePath: path))
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    #expect(refusal() == .wrongSize)
    try Data(repeating: 1, count: 32).write(to: URL(filePath: path))
    try manager.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    let wrong = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(wrong?.store == .wrongKey)
    // A credential that the system hands over stands in for the manifest's file.
    #expect(try vault.core { $0.keyFile = real }.accounts(.all).accounts.count == 1)
  }
}
