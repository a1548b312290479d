import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultSystem

/// The two places that keep the parts of a group's key whose custody is the Secret Service.
struct KeyPartStore {
  let keyring: SecretServiceCustodian
  let device: DevicePartCustodian

  init(_ configuration: VaultConfiguration) {
    keyring = SecretServiceCustodian(
      busAddress: configuration.sessionBusAddress, allowPrompt: configuration.allowsPrompt)
    device = DevicePartCustodian(directory: configuration.devicePartDirectory)
  }

  /// Stores both parts of a new key, the device's part durably. If a place does not respond, it may
  /// have its part all the same.
  func store(_ parts: KeyParts, as id: GroupKeyID) throws(CustodyError) {
    // The keyring is more likely to refuse.
    try keyring.store(parts.keyring, as: id)
    do throws(CustodyError) {
      try onDevice(id) { () throws(CustodyError) in try device.store(parts.device, as: id) }
    } catch {
      discard(id)
      throw error
    }
  }

  /// Whether either place has a part of this generation.
  func contains(_ id: GroupKeyID) throws(CustodyError) -> Bool {
    if try device.generations(of: id.groupID).contains(id.generation) { return true }
    return try keyring.generations(of: id.groupID).contains(id.generation)
  }

  /// Deletes both parts of a key, and verifies that they are gone. If one cannot be deleted, the
  /// other is deleted all the same.
  func delete(_ id: GroupKeyID) throws(CustodyError) {
    try both({ () throws(CustodyError) in try deleteDevicePart(id) }) { () throws(CustodyError) in
      try keyring.delete(id)
    }
  }

  /// Deletes the parts of a key that never came into force, as far as possible.
  func discard(_ id: GroupKeyID) {
    bestEffort("the first error is the one to report, and the next rotation deletes the parts") {
      try delete(id)
    }
  }

  /// Deletes this device's parts of the former keys of a group.
  func deleteDeviceParts(of groupID: [UInt8], before generation: UInt64) throws(CustodyError) {
    for former in try device.generations(of: groupID) where former < generation {
      try deleteDevicePart(GroupKeyID(groupID: groupID, generation: former))
    }
  }

  private func deleteDevicePart(_ id: GroupKeyID) throws(CustodyError) {
    try onDevice(id) { () throws(CustodyError) in try device.delete(id) }
  }

  /// Tells the errors of the device's part from those of the keyring and of a key file.
  private func onDevice(
    _ id: GroupKeyID, _ step: () throws(CustodyError) -> Void
  ) throws(CustodyError) {
    do throws(CustodyError) { try step() } catch {
      switch error {
      case .alreadyStored, .notDeleted, .wrongKey, .keyFileUnsafe:
        throw .devicePartFailed(path: device.path(of: id))
      default: throw error
      }
    }
  }

  /// Deletes every part of the keys of a group. If one place fails, the other is emptied all the
  /// same.
  func deleteAll(of groupID: [UInt8]) throws(CustodyError) {
    try both({ () throws(CustodyError) in
      try deleteDeviceParts(of: groupID, before: .max)
    }) { () throws(CustodyError) in
      for generation in try keyring.generations(of: groupID) {
        try keyring.delete(GroupKeyID(groupID: groupID, generation: generation))
      }
    }
  }

  /// Runs both steps, then throws the error of one that failed.
  private func both(
    _ first: () throws(CustodyError) -> Void, _ second: () throws(CustodyError) -> Void
  ) throws(CustodyError) {
    var failure: CustodyError?
    do throws(CustodyError) { try first() } catch { failure = error }
    try second()
    if let failure { throw failure }
  }
}
