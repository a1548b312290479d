import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// Retrieves the key that opens a group file, from the custody in the file's header and from no
/// other.
struct KeyRetrieval {
  let configuration: VaultConfiguration
  /// Whether a change of the key follows: libsecret, which stores the part of a new one, is loaded while
  /// the group is opened.
  var precedesRotation = false

  var parts: KeyPartStore { KeyPartStore(configuration) }

  /// Opens the file, and follows rotations that happen meanwhile.
  func open(_ path: String) throws -> UnlockedGroup {
    for _ in 0..<200 {
      // The first reply of the service arrives while the file is opened, and the service looks for
      // the key while libcrypto is initialised.
      var conversation = parts.keyring.begin()
      var library: PendingResult<Void, Never>?
      defer { library?.value() }
      let locked = try LockedGroup(path: path) { header in
        seek(header, in: &conversation)
        if precedesRotation, header.custody == .secretService {
          library = SecretServiceCustodian.loadLibrary()
        }
      }
      let header = locked.header
      do {
        let key = try key(for: locked, over: conversation)
        return try locked.unlock(key)
      } catch {
        // A missing or wrong key may only mean that the key was rotated after the header was read.
        guard Self.isMismatch(error) else { throw error }
        let again = try LockedGroup(path: path)
        guard again.header == header else { continue }
        guard header.custody == .secretService else { throw error }
        return try recover(again, from: error)
      }
    }
    throw StoreError.busy
  }

  private static func isMismatch(_ error: any Error) -> Bool {
    switch error {
    case StoreError.wrongKey, CustodyError.keyMissing, CustodyError.wrongKey,
      CustodyError.wrongPassphrase, CustodyError.devicePartMissing:
      true
    default: false
    }
  }

  private func seek(
    _ header: GroupHeader, in conversation: inout SecretServiceCustodian.Conversation
  ) {
    let id = GroupKeyID(groupID: header.groupID, generation: header.generation)
    // A key in the kernel's keyring is used without a wait for the service.
    guard header.custody == .secretService, !KernelKeyring.contains(id) else { return }
    parts.keyring.seek(id, in: &conversation)
  }

  private func key(
    for locked: borrowing LockedGroup,
    over conversation: consuming SecretServiceCustodian.Conversation
  ) throws -> SecretBytes {
    let header = locked.header
    let id = GroupKeyID(groupID: header.groupID, generation: header.generation)
    // The user unlocked the group for a limited time, whatever its custody.
    if let kept = try KernelKeyring.key(id) { return kept }
    switch header.custody {
    case .secretService:
      CryptoPreparation.run()
      var device: Result<SecretBytes, CustodyError>?
      let part = try parts.keyring.key(id, over: conversation) {
        locked.prepareQueries()
        // An error is thrown after those of the keyring.
        if !header.isOutdated {
          device = Result { () throws(CustodyError) in try devicePart(id) }
        }
      }
      guard let device = device.take() else { return try key(from: part, id, header) }
      return try KeyParts(keyring: part, device: try device.get()).key(of: id.groupID)
    case .passphrase, .keyFile:
      guard let slot = try locked.slot(.custody) else { throw StoreError.damaged(rows: nil) }
      guard header.custody == .passphrase else { return try openByKeyFile(slot, of: locked) }
      return try configuration.withPassphrase { custodian in
        try locked.open(
          slot, at: .custody, with: try custodian.key(KeySlotParameters(slot.parameters)))
      }
    }
  }

  private func devicePart(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes {
    do throws(CustodyError) { return try parts.device.key(id) } catch {
      switch error {
      case .keyMissing, .wrongKey: throw .devicePartMissing(path: parts.device.path(of: id))
      default: throw error
      }
    }
  }

  /// If a rekey was interrupted after its commit, the slot's key file is the one in the staged
  /// manifest.
  private func openByKeyFile(
    _ slot: KeySlot, of locked: borrowing LockedGroup
  ) throws -> SecretBytes {
    do { return try open(slot, of: locked, byFile: keyFilePath()) } catch {
      guard let path = stagedKeyFile() else { throw error }
      // The first error is about the key file in force.
      do { return try open(slot, of: locked, byFile: path) } catch _ { throw error }
    }
  }

  private func open(
    _ slot: KeySlot, of locked: borrowing LockedGroup, byFile path: String
  ) throws -> SecretBytes {
    try locked.open(
      slot, at: .custody,
      with: try KeyFileCustodian(path: path).key(KeySlotParameters(slot.parameters)))
  }

  func stagedKeyFile() -> String? {
    let manifests = Manifests(directories: configuration.manifestDirectories)
    // A staged manifest that cannot be read names no file.
    do {
      guard case .keyFile(let path)? = try manifests.staged(configuration.group)?.custody else {
        return nil
      }
      return path
    } catch { return nil }
  }

  func keyFilePath() throws(VaultError) -> String {
    if let path = configuration.keyFile { return path }
    let found = try Manifests(directories: configuration.manifestDirectories)
      .find(configuration.group)
    guard case .keyFile(let path) = found.manifest.custody else {
      throw .custody(.keyFileMissing(path: ""), group: configuration.group)
    }
    return path
  }

  /// Called when the keyring responded, but its part of the key does not open the file. There are
  /// four causes: the keyring lost the latest item in a power cut, and a wrapped successor key leads
  /// on from the part that it kept; several items have the id; the device part is lost; or the file
  /// is a copy from before a sign-out.
  private func recover(
    _ locked: consuming LockedGroup, from failure: any Error
  ) throws -> UnlockedGroup {
    let header = locked.header
    let id = GroupKeyID(groupID: header.groupID, generation: header.generation)
    if case CustodyError.devicePartMissing = failure {
      try refuseOlderFile(id, newest: parts.device.generations(of: id.groupID).last)
      throw failure
    }
    let check = try locked.keyCheck()
    if let part = try fittingPart(id, check, header) {
      return try locked.unlock(try key(from: part, id, header))
    }
    return try unwrapSuccessors(locked, id: id, failure: failure)
  }

  /// Nil if the keyring has no part of the generation, or only the one of a rotation that was never
  /// committed.
  private func fittingPart(
    _ id: GroupKeyID, _ check: LockedGroup.KeyCheck, _ header: GroupHeader
  ) throws -> SecretBytes? {
    do {
      return try parts.keyring.key(id) { part in
        do { return check.accepts(try key(from: part.clone(), id, header)) } catch { return false }
      }
    } catch CustodyError.keyMissing {
      return nil
    } catch CustodyError.wrongKey { return nil }
  }

  /// The group's key, from the keyring's part of it.
  private func key(
    from part: consuming SecretBytes, _ id: GroupKeyID, _ header: GroupHeader
  ) throws -> SecretBytes {
    // Format version 1 left the whole key to the keyring.
    guard !header.isOutdated else { return part }
    return try KeyParts(keyring: part, device: try devicePart(id)).key(of: id.groupID)
  }

  /// Throws if a key newer than the file exists: the file is a copy from before a sign-out.
  private func refuseOlderFile(_ id: GroupKeyID, newest: UInt64?) throws(VaultError) {
    guard let newest, newest > id.generation else { return }
    throw .olderFile(configuration.group, generation: id.generation, newest: newest)
  }

  private func unwrapSuccessors(
    _ locked: consuming LockedGroup, id: GroupKeyID, failure: any Error
  ) throws -> UnlockedGroup {
    let header = locked.header
    let kept = try parts.keyring.generations(of: id.groupID)
    let wrapped = try locked.generationsWithWrappedSuccessorKey()
    guard let start = wrapped.last(where: { kept.contains($0) }) else {
      try refuseOlderFile(id, newest: kept.last)
      throw failure
    }
    let former = try parts.keyring.key(GroupKeyID(groupID: id.groupID, generation: start))
    let part = try unwrappedPart(locked, from: start, with: former, id)
    let copy = try part.clone()
    let group = try locked.unlock(try key(from: part, id, header))
    // The key is verified, since it opened the group; only now is its part stored. Until a later
    // boot has read it from the keyring, another power cut may remove it again.
    let boot = try configuration.bootIdentifier()
    try group.write {
      $0.renewDeletionChecks(boot: boot, deleting: kept.filter { $0 < id.generation })
    }
    // The item found there opens nothing, and an item is never overwritten.
    if case CustodyError.keyMissing = failure {} else { try parts.keyring.delete(id) }
    try keep(copy, as: id)
    return group
  }

  private func unwrappedPart(
    _ locked: borrowing LockedGroup, from start: UInt64, with former: consuming SecretBytes,
    _ id: GroupKeyID
  ) throws -> SecretBytes {
    guard locked.header.isOutdated else {
      return try locked.unwrapKeyringPart(from: start, with: former, device: devicePart(id))
    }
    var key = former
    for generation in start..<id.generation {
      key = try locked.unwrapSuccessorKey(of: generation, with: key)
    }
    return key
  }

  private func keep(_ part: borrowing SecretBytes, as id: GroupKeyID) throws(CustodyError) {
    do throws(CustodyError) { try parts.keyring.store(part, as: id) } catch .alreadyStored {
      // Another process unwrapped the same successor keys and stored the part first.
    }
  }
}
