package import TokenVaultCrypto

extension LockedGroup {
  /// The slot at `position`, or nil if the group has none there.
  package func slot(_ position: KeySlot.Position) throws(StoreError) -> KeySlot? {
    guard let bytes = try database.meta(position.rawValue) else { return nil }
    return try KeySlot(encoded: bytes)
  }

  /// Opens the slot with the key-encryption key that it was set with, and returns the group's key.
  /// - Throws: ``StoreError/wrongKey`` if `key` is not the slot's key.
  package func open(
    _ slot: KeySlot, at position: KeySlot.Position, with key: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    // Each step belongs to a rotation, so an intact file never has more steps than generations.
    guard slot.parameters.steps < (try Self.readHeader(database).generation) else {
      throw .damaged(rows: nil)
    }
    var present: SecretBytes
    do { present = try key.clone() } catch { throw .crypto }
    for _ in 0..<slot.parameters.steps {
      present = try KeySlot.nextKey(after: present, group: header.groupID)
    }
    do {
      return try SealingKey(present).openSecret(
        slot.sealedKey,
        associatedData: slot.associatedData(group: header.groupID, position: position))
    } catch { throw error == .failed ? .wrongKey : .crypto }
  }
}
