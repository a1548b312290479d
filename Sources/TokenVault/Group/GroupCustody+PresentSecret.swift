import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultKeyCustody

// A renewal seals the slot of the custody under a new key. Whatever the file contains, that key can
// only be derived from the passphrase or the key file.
extension GroupCustody {
  /// A new key for the custody's slot, from the passphrase or key file that opens the slot now; nil
  /// if the custody has no slot. A passphrase also opens the group, so that it is typed once.
  /// - Returns: The key, and the header of the file whose slot the secret opens. With another
  ///   header, a rekey may have changed the secret.
  func presentSecret(
    opening session: GroupSession
  ) throws -> (material: SlotMaterial?, header: GroupHeader) {
    let locked = try LockedGroup(path: configuration.groupPath)
    let header = locked.header
    guard header.custody != .secretService else { return (nil, header) }
    guard let slot = try locked.slot(.custody) else { throw StoreError.damaged(rows: nil) }
    guard header.custody == .passphrase else { return (try presentKeyFile(locked, slot), header) }
    return try configuration.withPassphrase { custodian in
      let key = try Self.open(slot, of: locked, with: custodian)
      session.adopt(try LockedGroup(path: configuration.groupPath).unlock(key))
      return (try Self.slotMaterial(custodian), header)
    }
  }

  /// Whether the passphrase is the one that opens the group now.
  func isPresent(_ custodian: PassphraseCustodian) throws -> Bool {
    let locked = try LockedGroup(path: configuration.groupPath)
    guard locked.header.custody == .passphrase, let slot = try locked.slot(.custody) else {
      return false
    }
    do { _ = try Self.open(slot, of: locked, with: custodian) } catch StoreError.wrongKey {
      return false
    }
    return true
  }

  /// Whether the key file opens the slot of the custody.
  func opensSlot(_ keyFile: String) throws -> Bool {
    let locked = try LockedGroup(path: configuration.groupPath)
    guard let slot = try locked.slot(.custody) else { return false }
    do { _ = try Self.open(slot, of: locked, with: KeyFileCustodian(path: keyFile)) } catch {
      switch error {
      // A rekey that is killed may leave an incomplete file.
      case StoreError.wrongKey, CustodyError.keyFileMissing,
        CustodyError.keyFileUnsafe(_, reason: .wrongSize):
        return false
      default: throw error
      }
    }
    return true
  }

  /// After an interrupted rekey, the key file in force may be that of the staged manifest.
  private func presentKeyFile(
    _ locked: borrowing LockedGroup, _ slot: KeySlot
  ) throws -> SlotMaterial {
    let present = KeyFileCustodian(path: try retrieval.keyFilePath())
    do { _ = try Self.open(slot, of: locked, with: present) } catch {
      guard let path = retrieval.stagedKeyFile() else { throw error }
      let staged = KeyFileCustodian(path: path)
      // The first error is about the key file in force.
      do { _ = try Self.open(slot, of: locked, with: staged) } catch _ { throw error }
      return try Self.slotMaterial(staged)
    }
    return try Self.slotMaterial(present)
  }

  private static func open<Custodian: DerivingKeyCustodian>(
    _ slot: KeySlot, of locked: borrowing LockedGroup, with custodian: Custodian
  ) throws -> SecretBytes {
    try locked.open(
      slot, at: .custody, with: try custodian.key(KeySlotParameters(slot.parameters)))
  }
}
