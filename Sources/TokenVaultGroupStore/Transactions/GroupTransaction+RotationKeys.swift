import TokenVaultCrypto

extension GroupTransaction {
  /// Opens the rotation keys. Only a change of the group's key, of a slot or of the wrapped
  /// successor keys needs them; a read must not call this.
  func rotationKeys() throws(StoreError) -> RotationKeys {
    guard header.version > 1 else { return try rotationKeysOfFirstFormat() }
    guard let sealed = try database.meta(Format.Meta.rotationKeys.rawValue) else {
      throw .damaged(rows: nil)
    }
    let content: SecretBytes
    do {
      content = try keys.wrap.openSecret(
        sealed, associatedData: header.associatedData(.rotationKeys))
    } catch { throw error == .failed ? .damaged(rows: nil) : .crypto }
    return try RotationKeys(content)
  }

  /// Writes the rotation keys under the present key.
  func save(_ rotationKeys: borrowing RotationKeys) throws(StoreError) {
    let sealed: [UInt8]
    do {
      sealed = try keys.wrap.seal(
        rotationKeys.content, associatedData: header.associatedData(.rotationKeys))
    } catch { throw .crypto }
    try database.setMeta(Format.Meta.rotationKeys.rawValue, sealed)
  }

  /// In a file of version 1, the state has the slots' keys, and the keyring has the key itself.
  private func rotationKeysOfFirstFormat() throws(StoreError) -> RotationKeys {
    var result = try RotationKeys()
    for (slot, bytes) in state.slotKeys {
      guard let number = UInt64(exactly: slot) else { throw .damaged(rows: nil) }
      let key: SecretBytes
      do { key = try SecretBytes(copying: bytes) } catch { throw .crypto }
      try result.set(.slot, number, to: key)
    }
    if header.custody == .secretService {
      let part = try KeyParts.bridgePart(of: keys.key, group: header.groupID)
      try result.set(.bridge, header.generation, to: part)
    }
    return result
  }
}
