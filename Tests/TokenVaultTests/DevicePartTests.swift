import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault
@testable import TokenVaultGroupStore

/// The key of a group with Secret Service custody has two parts, and this device has one of them.
@Suite(.timeLimit(.minutes(10))) struct DevicePartTests {
  private let vault: TestVault
  private let session: GroupSession

  init() throws {
    // Its own keyring: the tests put former secrets back into it.
    vault = try TestVault(session: PrivateSecretService())
    session = vault.groupSession()
    try session.importCache(Person.ada.cache() + Person.bob.cache())
  }

  private func usernames() throws -> [String] {
    try vault.groupSession().accounts(.all).usernames
  }

  /// A keyring daemon may keep a deleted secret in its memory, in a recycle bin or in a backup.
  @Test func aKeyringThatForgetsNothingDoesNotOpenACopyFromBeforeASignOut() throws {
    // The copy has a wrapped successor key of its own.
    _ = try Rekey(session).changeKey()
    let (id, copy) = (try session.keyID(), try vault.backUp())
    let part = try vault.custodian.key(id)
    #expect(try session.signOut([Person.ada.id]).isClean)
    session.close()
    try vault.custodian.store(part, as: id)
    try vault.restore(copy)
    let refused = #expect(throws: VaultError.self) { try usernames() }
    #expect(refused?.name == "olderFile")
    for device in try vault.deviceParts() {
      for secret in try vault.keyringSecrets() {
        let keyring = try Base64URL.decodeSecret(try SecretBytes(copying: Array(secret.utf8)))
        #expect(try !opens(keyring, SecretBytes(copying: device)))
      }
    }
  }

  /// Whether the two parts, or one of them alone, open the group file, directly or over one of its
  /// wrapped successor keys.
  private func opens(
    _ keyring: borrowing SecretBytes, _ device: borrowing SecretBytes
  ) throws -> Bool {
    let header = try LockedGroup(path: vault.file().path).header
    let parts = KeyParts(keyring: try keyring.clone(), device: try device.clone())
    if try accepts(keyring.clone()) || accepts(device.clone()) { return true }
    if try accepts(try parts.key(of: header.groupID)) { return true }
    for generation in try LockedGroup(path: vault.file().path).generationsWithWrappedSuccessorKey()
    {
      let locked = try LockedGroup(path: vault.file().path)
      do {
        _ = try locked.unwrapKeyringPart(from: generation, with: keyring, device: device)
        return true
      } catch StoreError.wrongKey {}
      do {
        _ = try locked.unwrapSuccessorKey(of: generation, with: keyring)
        return true
      } catch StoreError.wrongKey {}
    }
    return false
  }

  private func accepts(_ key: consuming SecretBytes) throws -> Bool {
    try LockedGroup(path: vault.file().path).keyCheck().accepts(key)
  }

  @Test func neitherPartAloneOpensAGroup() throws {
    let id = try session.keyID()
    let keyring = try vault.custodian.key(id)
    let device = try vault.parts.device.key(id)
    #expect(try !accepts(keyring.clone()))
    #expect(try !accepts(device.clone()))
    #expect(try accepts(KeyParts(keyring: keyring, device: device).key(of: id.groupID)))
  }

  /// In version 1, the wrapped successor key in the new file opened with the former key alone.
  @Test func theFormerPartsOpenNothingAfterARekey() throws {
    let id = try session.keyID()
    let keyring = try vault.custodian.key(id)
    let device = try vault.parts.device.key(id)
    try session.rekey()
    session.close()
    #expect(try LockedGroup(path: vault.file().path).generationsWithWrappedSuccessorKey() == [1])
    #expect(try !opens(keyring, device))
    #expect(try !opens(device, keyring))
    let present = GroupKeyID(groupID: id.groupID, generation: 2)
    #expect(try !opens(device, vault.parts.device.key(present)))
  }

  @Test func noFileContainsAFormerDevicePart() throws {
    func contains(_ part: [UInt8]) throws -> [String] {
      let names = try FileManager.default.subpathsOfDirectory(atPath: vault.home.path)
      return try names.filter { name in
        let path = vault.home.appending(path: name).path
        let kind = try FileManager.default.attributesOfItem(atPath: path)[.type]
        guard kind as? FileAttributeType == .typeRegular else { return false }
        return try Data(contentsOf: URL(filePath: path)).range(of: Data(part)) != nil
      }
    }
    let former = try #require(try vault.deviceParts().first)
    #expect(try contains(former).count == 1)
    let report = try session.signOut([Person.ada.id])
    #expect(report.entries.first { $0.place == .devicePart }?.isClean == true)
    #expect(report.isClean)
    #expect(try contains(former) == [])
    #expect(try vault.parts.device.generations(of: session.keyID().groupID) == [2])
  }

  @Test func aDevicePartThatCannotBeDeletedIsReportedAndTheNextOpenDeletesIt() throws {
    let id = try session.keyID()
    let path = vault.parts.device.path(of: id)
    // A directory cannot be overwritten.
    let part = try Data(contentsOf: URL(filePath: path))
    let outcome = try session.withGroup { group in
      try FileLock.hold(session.configuration.lockPath, waiting: 0) {
        try Rotation(session.configuration).run(
          group,
          finally: { _ in
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createDirectory(
              atPath: path, withIntermediateDirectories: false)
          }, { _ in [] })
      }
    }
    #expect(outcome.devicePartFailure == .keyFileUnreadable(path: path, errno: EISDIR))
    #expect(outcome.oldKeyFailure == nil)
    // The former key has left the keyring all the same.
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try usernames().count == 2)
    try FileManager.default.removeItem(atPath: path)
    try part.write(to: URL(filePath: path))
    #expect(try usernames().count == 2)
    #expect(try vault.parts.device.generations(of: id.groupID) == [2])
    #expect(try session.read { $0.state.pendingDeletions } == [])
  }

  /// After a power cut, the disk may have lost any of the last changes to the two places.
  @Test(arguments: [false, true], [false, true])
  func aPowerCutThatBringsFormerPartsBackLeavesAGroupThatOpens(
    losesNewKeyringPart: Bool, restoresDevicePart: Bool
  ) throws {
    let old = try session.keyID()
    let keyring = try vault.custodian.key(old)
    let device = try vault.parts.device.key(old)
    try session.signOut([Person.ada.id])
    try session.signOut([Person.bob.id])
    try session.importCache(Person.bob.cache("-2"))
    session.close()
    if losesNewKeyringPart { try vault.custodian.delete(try session.keyID()) }
    try vault.custodian.store(keyring, as: old)
    if restoresDevicePart { try vault.parts.device.store(device, as: old) }
    for boot in ["second boot", "third boot", "fourth boot"] {
      vault.boot.withLock { $0 = boot }
      #expect(try usernames() == ["Bob@fabrikam.example"])
      #expect(try vault.keyringGenerations(old.groupID) == [3])
      #expect(try vault.parts.device.generations(of: old.groupID) == [3])
    }
    let locked = try LockedGroup(path: vault.file().path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [])
  }

  @Test func thePartsOfAnInterruptedRotationAreReplaced() throws {
    let id = try session.keyID()
    try vault.parts.store(try KeyParts(), as: session.keyID(2))
    #expect(try usernames().count == 2)
    #expect(try session.signOut([Person.ada.id]).isClean)
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try vault.parts.device.generations(of: id.groupID) == [2])
    #expect(try usernames() == ["Bob@fabrikam.example"])
    // Only the device has its part: the rotation ended between the two places.
    try vault.parts.device.store(try SecretBytes.random(count: 32), as: session.keyID(3))
    #expect(try session.signOutAll().isClean)
    #expect(try vault.parts.device.generations(of: id.groupID) == [3])
  }

  @Test func aGroupWithoutItsDevicePartOpensWithTheRecoveryCodeAndARekeyMakesNewParts() throws {
    let code = try session.makeRecoveryCode()
    let id = try session.keyID()
    session.close()
    try vault.parts.device.delete(id)
    let path = vault.parts.device.path(of: id)
    for _ in 0..<2 {
      let lost = #expect(throws: VaultError.self) { try usernames() }
      #expect(lost?.custody == .devicePartMissing(path: path))
    }
    let rescued = vault.groupSession()
    try rescued.open(recoveryCode: code)
    #expect(try Rekey(rescued).changeKey().left == nil)
    #expect(try usernames().count == 2)
    let next = try rescued.keyID()
    #expect(try vault.parts.device.generations(of: id.groupID) == [next.generation])
    #expect(try vault.keyringGenerations(id.groupID) == [Int(next.generation)])
  }

  @Test func anotherCustodyAndADeletedGroupHaveNoDevicePart() throws {
    let id = try session.keyID()
    let other = vault.groupSession { $0.passphrase = PassphrasePrompt.entering("fake-passphrase") }
    #expect(try Rekey(other).changeKey(to: .passphrase).left == nil)
    #expect(try vault.parts.device.generations(of: id.groupID) == [])
    #expect(try Rekey(other).changeKey(to: .secretService).left == nil)
    #expect(try vault.parts.device.generations(of: id.groupID) == [3])
    #expect(try usernames().count == 2)
    try vault.groupSession().delete()
    #expect(try vault.parts.device.generations(of: id.groupID) == [])
  }

  @Test func aFailedCreationLeavesNoDevicePart() throws {
    let keyring = try PrivateSecretService()
    let other = try TestVault(session: keyring)
    // A file is in the way of the directory.
    let state = other.home.appending(path: ".local/state")
    try FileManager.default.createDirectory(
      at: state.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: state)
    #expect(throws: VaultError.self) { try other.groupSession().create() }
    #expect(try other.keyringSecrets() == [])
    #expect(!FileManager.default.fileExists(atPath: other.file().path))
    try FileManager.default.removeItem(at: state)
    try other.groupSession().create()
    #expect(try other.deviceParts().count == 1)
  }

  /// The number of the row is in the clear. The program once counted from it to the generation.
  @Test func aForgedWrappedSuccessorKeyIsAnErrorAndNoCrash() throws {
    let id = try session.keyID()
    session.close()
    let database = try Database(path: vault.file().path, busyMilliseconds: 0)
    try database.setMeta(
      Format.wrappedSuccessorKeyRow(5), [UInt8](repeating: 7, count: 60))
    try vault.custodian.store(try SecretBytes.random(count: 32), as: session.keyID(5))
    try vault.custodian.delete(id)
    let refused = #expect(throws: VaultError.self) { try usernames() }
    #expect(refused?.name == "olderFile")
  }
}
