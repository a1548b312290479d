package import TokenVaultCrypto

extension GroupTransaction {
  /// Seals the group's key in a slot, and replaces the slot that was there.
  ///
  /// A file of format version 1 must be upgraded first, by a rotation.
  package func setSlot(
    _ position: KeySlot.Position, under encryptionKey: borrowing SecretBytes,
    parameters: KeySlot.Parameters
  ) throws(StoreError) {
    var rotationKeys = try changeableRotationKeys()
    try fillSlot(
      position, with: keys.key, under: encryptionKey, parameters: parameters, &rotationKeys)
    try save(rotationKeys)
  }

  /// Removes a slot.
  package func removeSlot(_ position: KeySlot.Position) throws(StoreError) {
    var rotationKeys = try changeableRotationKeys()
    try database.removeMeta(position.rawValue)
    try rotationKeys.remove(.slot, UInt64(position.rawValue))
    try save(rotationKeys)
  }

  /// Whether there is a slot at `position`.
  package func hasSlot(_ position: KeySlot.Position) throws(StoreError) -> Bool {
    try database.meta(position.rawValue) != nil
  }

  /// Changes the custody in the header, within a rotation.
  package func setCustody(_ custody: GroupHeader.Custody) throws(StoreError) {
    guard var next = rotated else { throw .damaged(rows: nil) }
    next.header.custody = custody
    try next.keys.write(to: database, header: next.header)
    rotated = next
  }

  /// Seals the new key in each slot. The rotation keys have the slots' keys, so this needs no
  /// passphrase. Each slot's key is replaced by its next key. That cannot be undone, so the keys in
  /// the group afterwards do not open the slots in an older copy.
  func moveSlots(
    to key: borrowing SecretBytes, _ rotationKeys: inout RotationKeys
  ) throws(StoreError) {
    for position in KeySlot.Position.allCases {
      guard let slotKey = try rotationKeys.key(.slot, UInt64(position.rawValue)),
        let bytes = try database.meta(position.rawValue)
      else { continue }
      var parameters = try KeySlot(encoded: bytes).parameters
      parameters.steps += 1
      guard parameters.steps <= Format.mostSlotSteps else { throw .damaged(rows: nil) }
      try fillSlot(
        position, with: key, under: try KeySlot.nextKey(after: slotKey, group: header.groupID),
        parameters: parameters, &rotationKeys)
    }
  }

  private func fillSlot(
    _ position: KeySlot.Position, with key: borrowing SecretBytes,
    under encryptionKey: borrowing SecretBytes, parameters: KeySlot.Parameters,
    _ rotationKeys: inout RotationKeys
  ) throws(StoreError) {
    let slot = try KeySlot.seal(
      key, under: encryptionKey, parameters: parameters, group: header.groupID, position: position)
    try database.setMeta(position.rawValue, slot.encoded())
    try rotationKeys.set(.slot, UInt64(position.rawValue), to: encryptionKey)
  }

  private func changeableRotationKeys() throws(StoreError) -> RotationKeys {
    // An earlier program would look for the slots' keys in the state.
    guard !header.isOutdated else { throw .unsupportedVersion(header.version) }
    return try rotationKeys()
  }
}
