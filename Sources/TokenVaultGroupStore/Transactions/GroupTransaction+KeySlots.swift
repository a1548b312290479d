package import TokenVaultCrypto

extension GroupTransaction {
  /// Seals the group's key in a slot, and replaces the slot that was there.
  package func setSlot(
    _ position: KeySlot.Position, under encryptionKey: borrowing SecretBytes,
    parameters: KeySlot.Parameters
  ) throws(StoreError) {
    try fillSlot(position, with: keys.key, under: encryptionKey, parameters: parameters)
  }

  func fillSlot(
    _ position: KeySlot.Position, with key: borrowing SecretBytes,
    under encryptionKey: borrowing SecretBytes, parameters: KeySlot.Parameters
  ) throws(StoreError) {
    let slot = try KeySlot.seal(
      key, under: encryptionKey, parameters: parameters, group: header.groupID, position: position)
    try database.setMeta(position.rawValue, slot.encoded())
    state.slotKeys[position.rawValue] = unsafe encryptionKey.withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Removes a slot.
  package func removeSlot(_ position: KeySlot.Position) throws(StoreError) {
    try database.removeMeta(position.rawValue)
    state.slotKeys[position.rawValue] = nil
  }

  /// Whether there is a slot at `position`.
  package func hasSlot(_ position: KeySlot.Position) -> Bool {
    state.slotKeys[position.rawValue] != nil
  }

  /// Changes the custody in the header, within a rotation.
  package func setCustody(_ custody: GroupHeader.Custody) throws(StoreError) {
    guard var next = rotated else { throw .damaged(rows: nil) }
    next.header.custody = custody
    try next.keys.write(to: database, header: next.header)
    rotated = next
  }
}
