package import TokenVaultGroupStore
import Glibc
import TokenVaultKeyCustody
package import TokenVaultCrypto
package import TokenVaultModel

extension VaultCore {
  /// Makes the group when it has no file, with its manifest's custody.
  /// - Returns: whether it was made now.
  @discardableResult
  package func createIfMissing() throws(VaultError) -> Bool {
    do {
      try withGroup { _ in }
      return false
    } catch .noGroup {
      do {
        try create()
        return true
      } catch .groupExists {
        // Another process made it first.
        return false
      }
    }
  }

  /// Makes the group. An existing file is never written over, whatever became of its key.
  package func create() throws(VaultError) {
    let manifest = try requireMembership()
    try vaultErrors(group) {
      try FileSafety.makeDirectory(self.configuration.groupsDirectory)
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        let path = self.configuration.groupPath
        if unsafe access(path, F_OK) == 0 { throw StoreError.exists(path: path) }
        try self.discardDraft(of: path)
        let header = GroupHeader(
          groupID: try RandomBytes.make(16), generation: 1,
          custody: GroupHeader.Custody(manifest.custody))
        try self.make(path, header: header)
      }
    }
  }

  private func make(_ path: String, header: GroupHeader) throws {
    let custody = GroupCustody(configuration)
    if header.custody == .secretService {
      // A keyring that is locked or away is told before there is anything to take back.
      _ = try custody.custodian.generations(of: header.groupID)
    }
    let key = try SecretBytes.random(count: 32)
    let draft: UnlockedGroup
    do { draft = try GroupCreation.draft(path, header: header, key: key) } catch {
      // No keyring knows the key yet. The first error is the one to tell of.
      do { try GroupCreation.remove(GroupCreation.draftPath(for: path)) } catch { _ = error }
      throw error
    }
    do {
      switch header.custody {
      case .secretService:
        try custody.custodian.store(
          key, as: GroupKeyID(groupID: header.groupID, generation: header.generation))
      case .passphrase, .keyFile:
        let material = try custody.slotMaterial(header.custody)
        try draft.write {
          try $0.setSlot(.custody, under: material.key, parameters: material.parameters)
        }
      }
      guard try draft.truncateLog() else { throw StoreError.busy }
    } catch {
      // The first error is the one to tell of. A draft whose key may be in a keyring that does not
      // answer stays as the note of it, for the next creation to discard.
      do { try discardDraft(of: path) } catch { _ = error }
      throw error
    }
    noteMaking(of: header.groupID, commits: draft.commits)
    try publish(consume draft, path)
  }

  private func publish(_ draft: consuming UnlockedGroup, _ path: String) throws {
    // SQLite removes the log with the last connection; only then has the file all of it.
    _ = consume draft
    try GroupCreation.publish(path)
  }

  /// Removes what a creation that was cut short left: the draft, and the key made for it.
  /// - Parameter group: the id of the group in force, whose key stays when the draft is a second
  ///   name of its file, as a creation that was cut short at its end leaves one.
  func discardDraft(of path: String, sparing group: [UInt8]? = nil) throws {
    let draft = GroupCreation.draftPath(for: path)
    guard unsafe access(draft, F_OK) == 0 else { return }
    do {
      let locked = try LockedGroup(path: draft)
      let header = locked.header
      if header.custody == .secretService, header.groupID != group {
        try GroupCustody(configuration).custodian.delete(
          GroupKeyID(groupID: header.groupID, generation: header.generation))
      }
    } catch is StoreError {
      // Cut short before it had a header, and so before it had a key.
    }
    try GroupCreation.remove(draft)
  }

  /// Deletes the group: its key in the keyring first, which alone makes copies of the file
  /// unreadable, then the file. A passphrase, key file or recovery code still opens a copy. Of a
  /// file that is damaged beyond its header nothing tells the key: it stays, and opens nothing.
  package func delete() throws(VaultError) {
    try admit()
    try vaultErrors(group) {
      // No lock is made for a group that is not there.
      _ = try self.readableHeader()
      self.close()
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        // Until the lock was had, others may have moved the group on, or made another.
        try self.delete(self.readableHeader())
      }
    }
  }

  /// The header; nil where the file is too damaged to have one.
  private func readableHeader() throws -> GroupHeader? {
    do { return try LockedGroup(path: configuration.groupPath).header } catch {
      switch error {
      case .damaged, .notAGroupFile: return nil
      default: throw error
      }
    }
  }

  private func deleteKeys(of header: GroupHeader) throws {
    if header.custody == .secretService {
      let custodian = GroupCustody(configuration).custodian
      for generation in try custodian.generations(of: header.groupID) {
        try custodian.delete(GroupKeyID(groupID: header.groupID, generation: generation))
      }
    }
    try KernelKeyring.forget(
      GroupKeyID(groupID: header.groupID, generation: header.generation))
    _ = try removeStaleCopies(of: header)
  }

  private func delete(_ header: GroupHeader?) throws {
    if let header { try deleteKeys(of: header) }
    try GroupCreation.remove(configuration.groupPath)
    try FileSafety.syncDirectory(configuration.groupsDirectory)
    _ = try DirectoryRules(vaultDirectory: configuration.directory).removeAll(group: group)
  }

  /// The custody that the file names, without opening it.
  package func custody() throws(VaultError) -> GroupHeader.Custody {
    try vaultErrors(group) { try self.header().custody }
  }

  /// Moves the group to a fresh key, and to another custody where one is named. The recovery code
  /// ends with the key it was made for.
  /// - Parameter keyFile: the key file to move to; nil for the one that opens groups.
  /// - Returns: why the former key may still be somewhere; nil when it is gone. The group has its
  ///   new key in either case: what keeps that key must not be taken back.
  @discardableResult
  package func rekey(
    to custody: GroupHeader.Custody? = nil, keyFile: String? = nil
  ) throws(VaultError) -> VaultError? {
    let left = try withGroup { group in
      try FileLock.hold(self.configuration.lockPath, waiting: 60_000) {
        try GroupCustody(self.configuration).rekey(
          group, to: custody ?? group.header.custody, keyFile: keyFile)
      }
    }
    do { try vaultErrors(group) { if let left { throw left } } } catch { return error }
    return nil
  }

  /// Opens the group with its recovery code, when its custody cannot.
  package func open(recoveryCode: borrowing SecretBytes) throws(VaultError) {
    try admit()
    do {
      let locked = try LockedGroup(path: configuration.groupPath)
      guard let slot = try locked.slot(.recovery) else {
        throw CustodyError.badRecoveryCode
      }
      let code = try RecoveryCode.parse(recoveryCode)
      let encryptionKey = try code.keyEncryptionKey(salt: slot.parameters.salt)
      let key = try locked.open(slot, at: .recovery, with: encryptionKey)
      adopt(try locked.unlock(key))
    } catch let error as StoreError {
      throw error.vaultError(group)
    } catch let error as CustodyError {
      throw .custody(error, group: group)
    } catch { throw .unexpected(type: String(describing: type(of: error))) }
  }

  /// Makes a recovery code, in the place of an older one.
  /// - Returns: the code as it is shown, once.
  package func makeRecoveryCode() throws(VaultError) -> SecretBytes {
    var shown: SecretBytes?
    try withGroup { group in
      let code = try RecoveryCode.make()
      let salt = try RandomBytes.make(32)
      let key = try code.keyEncryptionKey(salt: salt)
      try group.write {
        try $0.setSlot(.recovery, under: key, parameters: KeySlot.Parameters(salt: salt))
      }
      shown = try code.printable()
    }
    guard let shown else { throw .unexpected(type: "RecoveryCode") }
    return shown
  }

  /// Keeps the group's key in the kernel keyring for a time.
  package func unlock(seconds: UInt32) throws(VaultError) {
    try withGroup { group in
      let id = GroupKeyID(groupID: group.header.groupID, generation: group.header.generation)
      try group.withKey { try KernelKeyring.keep($0, as: id, seconds: seconds) }
    }
  }

  /// Takes the group's key out of the kernel keyring.
  /// - Returns: whether it was there.
  package func lock() throws(VaultError) -> Bool {
    try vaultErrors(group) {
      let header = try self.header()
      return try KernelKeyring.forget(
        GroupKeyID(groupID: header.groupID, generation: header.generation))
    }
  }
}

extension GroupHeader.Custody {
  /// The custody of a group made from a manifest.
  package init(_ custody: GroupManifest.Custody) {
    switch custody {
    case .secretService: self = .secretService
    case .passphrase: self = .passphrase
    case .keyFile: self = .keyFile
    }
  }
}

/// Puts a group's key into a custody, and moves it from one to another.
struct GroupCustody {
  private let configuration: VaultConfiguration
  private let retrieval: KeyRetrieval

  init(_ configuration: VaultConfiguration) {
    self.configuration = configuration
    retrieval = KeyRetrieval(configuration: configuration)
  }

  var custodian: SecretServiceCustodian { retrieval.custodian }

  /// What a new slot is sealed with.
  final class SlotMaterial {
    let key: SecretBytes
    let parameters: KeySlot.Parameters

    init(key: consuming SecretBytes, parameters: KeySlot.Parameters) {
      self.key = key
      self.parameters = parameters
    }
  }

  /// A key-encryption key for a new slot: a new passphrase, or the key file's content.
  func slotMaterial(
    _ custody: GroupHeader.Custody, keyFile: String? = nil
  ) throws -> SlotMaterial {
    var parameters = KeySlot.Parameters(salt: try RandomBytes.make(32))
    guard custody == .passphrase else {
      let key = try KeyFileCustody.keyEncryptionKey(
        path: try keyFile ?? retrieval.keyFilePath(), salt: parameters.salt)
      return SlotMaterial(key: key, parameters: parameters)
    }
    guard let passphrase = try configuration.askPassphrase(.create(configuration.group)) else {
      throw CustodyError.passphraseRequired
    }
    guard passphrase.count > 0 else { throw VaultError.invalid(.passphrase) }
    parameters.logN = UInt64(PassphraseCustody.logN)
    parameters.r = UInt64(PassphraseCustody.r)
    parameters.p = UInt64(PassphraseCustody.p)
    let key = try PassphraseCustody.keyEncryptionKey(
      passphrase: passphrase, salt: parameters.salt, logN: PassphraseCustody.logN,
      r: PassphraseCustody.r, p: PassphraseCustody.p)
    return SlotMaterial(key: key, parameters: parameters)
  }

  /// The caller holds the group's lock.
  /// - Returns: what failed after the commit.
  func rekey(
    _ group: UnlockedGroup, to custody: GroupHeader.Custody, keyFile: String?
  ) throws -> (any Error)? {
    let material =
      custody == .secretService ? nil : try slotMaterial(custody, keyFile: keyFile)
    let outcome = try Rotation(configuration).run(
      group, to: custody,
      finally: { transaction in
        try transaction.setCustody(custody)
        try transaction.removeSlot(.recovery)
        try transaction.removeSlot(.custody)
        if let material {
          try transaction.setSlot(.custody, under: material.key, parameters: material.parameters)
        }
      }, { _ in [] })
    return outcome.oldKeyFailure ?? outcome.kernelFailure
  }
}
