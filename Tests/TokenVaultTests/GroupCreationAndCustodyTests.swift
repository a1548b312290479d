import Foundation
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore
@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct GroupCreationAndCustodyTests {
  /// The names of the files in the directory of groups, without hidden ones.
  private func files(_ vault: TestVault) throws -> [String] {
    let folder = vault.directory.appending(path: "groups").path
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { !$0.hasPrefix(".") }.sorted()
  }

  // MARK: Creation

  @Test func aNewGroupIsOneFileReadableByItsOwnerOnly() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.create()
    session.close()
    #expect(try files(vault) == ["com.microsoft.identity.universalstorage.vault"])
    let mode = try FileManager.default.attributesOfItem(atPath: vault.file().path)
    #expect(mode[.posixPermissions] as? Int == 0o600)
    #expect(try vault.keyringGenerations(try session.keyID().groupID) == [1])
  }

  @Test func anExistingFileIsNeverOverwrittenEvenIfItsKeyIsLost() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    let exists = #expect(throws: VaultError.self) { try session.create() }
    #expect(exists?.name == "groupExists")
    let id = try session.keyID()
    session.close()
    let before = try vault.backUp().map(\.1)
    try vault.custodian.delete(id)
    for attempt in 0..<2 {
      let missing = #expect(throws: VaultError.self) {
        try vault.groupSession().importCache(Person.bob.cache())
      }
      #expect(missing?.custody == .keyMissing(generation: 1), "attempt \(attempt)")
    }
    #expect(throws: VaultError.self) { try vault.groupSession().create() }
    #expect(try vault.backUp().map(\.1) == before)
    #expect(try vault.keyringGenerations(id.groupID) == [])
  }

  @Test func anUnavailableKeyringLeavesNoGroupAndTheNextCreationSucceeds() throws {
    let keyring = try PrivateSecretService()
    let vault = try TestVault(session: keyring)
    try keyring.lock()
    let locked = #expect(throws: VaultError.self) { try vault.groupSession().create() }
    #expect(locked?.custody == .locked)
    #expect(try files(vault) == [])
    try keyring.unlock()
    try vault.groupSession().create()
    try vault.groupSession().delete()
    try keyring.killDaemon()
    let gone = #expect(throws: VaultError.self) {
      try vault.groupSession().importCache(Person.ada.cache())
    }
    #expect(gone?.custody == .noService)
    #expect(try files(vault) == [])
  }

  /// The key of the draft is deleted, too.
  @Test func anInterruptedCreationLeavesADraftThatTheNextOneDiscards() throws {
    let vault = try TestVault()
    let path = vault.file().path
    try FileSafety.makeDirectory(vault.directory.appending(path: "groups").path)
    let header = GroupHeader(
      groupID: try RandomBytes.make(16), generation: 1, custody: .secretService)
    let parts = try KeyParts()
    _ = try GroupCreation.draft(
      path, header: header, key: GenerationKey(parts, of: header.groupID))
    let id = GroupKeyID(groupID: header.groupID, generation: 1)
    try vault.parts.store(parts, as: id)
    #expect(try vault.groupSession().accounts(.all).emptyReason == .groupDoesNotExist)
    try vault.groupSession().create()
    #expect(try vault.keyringGenerations(header.groupID) == [])
    #expect(try vault.parts.device.generations(of: header.groupID) == [])
    #expect(try files(vault) == ["com.microsoft.identity.universalstorage.vault"])
    // A file that was cut short before its header was written.
    try vault.groupSession().delete()
    try Data("SQLite format 3".utf8).write(to: URL(filePath: GroupCreation.draftPath(for: path)))
    try vault.groupSession().create()
    #expect(try vault.groupSession().accounts(.all).emptyReason == .noAccounts)
  }

  @Test func oneOfManyConcurrentCreationsSucceedsAndAllUseItsGroup() throws {
    let vault = try TestVault()
    let made = Mutex<[Bool]>([])
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      var person = Person.ada
      person.id = "\(number)\(person.id.dropFirst())"
      do {
        let report = try vault.groupSession().importCache(person.cache())
        made.withLock { $0.append(report.madeGroup) }
      } catch { failures.withLock { $0.append("\(error)") } }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(made.withLock { $0 }.filter { $0 }.count == 1)
    #expect(try vault.groupSession().accounts(.all).accounts.count == 8)
  }

  @Test func aDeletedGroupLosesItsKeysSoThatCopiesDoNotOpen() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    try session.signOut([Person.ada.id])
    let (id, backup) = (try session.keyID(), try vault.backUp())
    try session.delete()
    #expect(try files(vault) == [])
    #expect(try vault.keyringGenerations(id.groupID) == [])
    try vault.restore(backup)
    let error = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(error?.custody == .keyMissing(generation: 2))
    // The state after a deletion that was interrupted between the key and the file.
    try vault.groupSession().delete()
    #expect(try files(vault) == [])
  }

  @Test func anOpenSessionUsesTheGroupThatReplacedADeletedOne() throws {
    let vault = try TestVault()
    let session = vault.groupSession()
    try session.importCache(Person.ada.cache())
    try vault.groupSession().delete()
    try vault.groupSession().importCache(Person.bob.cache())
    #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
  }

  // MARK: Passphrase

  @Test func aPassphraseGroupOpensOnlyWithItsPassphraseAndWithoutAKeyring() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    func session(_ passphrase: String?) -> GroupSession {
      vault.groupSession {
        $0.sessionBusAddress = nil
        $0.passphrase = passphrase.map { PassphrasePrompt.entering($0) }
      }
    }
    let none = #expect(throws: VaultError.self) { try session(nil).create() }
    #expect(none?.custody == .passphraseRequired)
    let empty = #expect(throws: VaultError.self) { try session("").create() }
    #expect(empty?.name == "invalid")
    #expect(try files(vault) == [])
    try session("fake-passphrase").importCache(Person.ada.cache() + Person.bob.cache())
    #expect(try session("fake-passphrase").accounts(.all).accounts.count == 2)
    let wrong = #expect(throws: VaultError.self) { try session("fake-passphrasf").accounts(.all) }
    #expect(wrong?.custody == .wrongPassphrase)
    let missing = #expect(throws: VaultError.self) { try session(nil).accounts(.all) }
    #expect(missing?.custody == .passphraseRequired)
  }

  @Test func aSignOutRotatesTheKeyWithoutAnotherPassphrasePrompt() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    let prompts = PassphrasePrompt.Counter()
    let session = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("fake-passphrase", prompts)
    }
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    let before = prompts.count.withLock { $0 }
    #expect(try session.signOut([Person.ada.id]).isClean)
    #expect(prompts.count.withLock { $0 } == before)
    let fresh = vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    #expect(try fresh.accounts(.all).usernames == ["Bob@fabrikam.example"])
    #expect(try fresh.header().generation == 2)
    #expect(try vault.keyringGenerations(try fresh.keyID().groupID) == [])
  }

  /// A rotation keeps the group unlocked.
  @Test func anUnlockedGroupOpensWithoutAPassphraseUntilItIsLocked() throws {
    let vault = try TestVault(manifest: GroupManifest.with(.passphrase))
    let session = vault.groupSession {
      $0.passphrase = PassphrasePrompt.entering("fake-passphrase")
    }
    try session.importCache(Person.ada.cache() + Person.bob.cache())
    try session.unlock(seconds: 600)
    func silent() -> GroupSession { vault.groupSession() }
    #expect(try silent().accounts(.all).accounts.count == 2)
    try silent().signOut([Person.ada.id])
    #expect(try silent().accounts(.all).accounts.count == 1)
    #expect(try KernelKeyring.secondsLeft(try session.keyID(1)) == nil)
    #expect((try KernelKeyring.secondsLeft(try session.keyID(2)) ?? 0) > 300)
    #expect(try silent().lock())
    #expect(try !silent().lock())
    let error = #expect(throws: VaultError.self) { try silent().accounts(.all) }
    #expect(error?.custody == .passphraseRequired)
    try session.unlock(seconds: 1)
    let end = ContinuousClock.now + .seconds(10)
    while try KernelKeyring.key(try session.keyID()) != nil, ContinuousClock.now < end {
      usleep(50_000)
    }
    let expired = #expect(throws: VaultError.self) { try silent().accounts(.all) }
    #expect(expired?.custody == .passphraseRequired)
  }

  @Test func anUnlockedGroupOpensWhileTheKeyringIsLocked() throws {
    let keyring = try PrivateSecretService()
    let vault = try TestVault(session: keyring)
    try vault.groupSession().importCache(Person.ada.cache())
    try vault.groupSession().unlock(seconds: 600)
    try keyring.lock()
    #expect(try vault.groupSession().accounts(.all).accounts.count == 1)
    #expect(try vault.groupSession().lock())
    let error = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(error?.custody == .locked)
  }

  // MARK: Key file

  @Test func aKeyFileOpensTheGroupAndAnUnsafeOneIsRefused() throws {
    let vault = try TestVault()
    let path = vault.home.appending(path: "key").path
    try vault.save(GroupManifest.with(.keyFile(path: path)))
    let missing = #expect(throws: VaultError.self) { try vault.groupSession().create() }
    #expect(missing?.custody == .keyFileMissing(path: path))
    #expect(try files(vault) == [])
    try KeyFileCustodian.create(path: path)
    try vault.groupSession().importCache(Person.ada.cache() + Person.bob.cache())
    try vault.groupSession().signOut([Person.bob.id])
    #expect(try vault.groupSession().accounts(.all).accounts.count == 1)

    func refusal() -> KeyFileFault? {
      let error = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
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
    let wrong = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(wrong?.store == .wrongKey)
    // A system credential takes precedence over the manifest's key file.
    #expect(try vault.groupSession { $0.keyFile = real }.accounts(.all).accounts.count == 1)
  }
}
