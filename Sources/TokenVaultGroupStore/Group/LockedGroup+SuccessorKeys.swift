package import TokenVaultCrypto

// If the keyring loses the newest key in a power cut, and still has a former one, the file has the
// newest one wrapped. In format version 2 each row wraps the keyring's part of the present key,
// under the former part and the present device part. In version 1 each row wraps the key of the next
// generation under the key of its own; an upgrade leaves those rows, which it cannot open.
extension LockedGroup {
  /// The former generations for which a wrapped key is stored, in ascending order.
  package func generationsWithWrappedSuccessorKey() throws(StoreError) -> [UInt64] {
    let query = try database.statement("SELECT id FROM meta WHERE id >= ? ORDER BY id")
    try query.bind(1, Format.firstWrappedSuccessorKeyRow)
    var found: [UInt64] = []
    while try query.step() {
      // A forged page may have smaller numbers than the query names.
      let (offset, overflows) = query.int64(0)
        .subtractingReportingOverflow(Format.firstWrappedSuccessorKeyRow)
      guard !overflows, let generation = UInt64(exactly: offset) else {
        throw .damaged(rows: nil)
      }
      // A rotation since the header was read has added its own; a larger number is forged.
      if generation < header.generation { found.append(generation) }
    }
    return found
  }

  /// Unwraps the keyring's part of the present key.
  /// - Parameters:
  ///   - generation: a former generation.
  ///   - former: what the keyring has for that generation.
  ///   - device: the device part of the present key.
  /// - Throws: ``StoreError/wrongKey`` if `former` or `device` is another one,
  ///   ``StoreError/damaged(rows:)`` if no wrapped key is stored for the generation.
  package func unwrapKeyringPart(
    from generation: UInt64, with former: borrowing SecretBytes,
    device: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    var present: SecretBytes
    do { present = try former.clone() } catch { throw .crypto }
    var generation = generation
    while generation < header.generation {
      let bridgePart = try KeyParts.bridgePart(of: present, group: header.groupID)
      let key = try KeyParts.bridgeKey(bridgePart, device: device, group: header.groupID)
      if let part = try unwrap(
        generation, key, header.wrappedSuccessorKeyData(replacing: generation))
      {
        return part
      }
      // The row may be from before an upgrade, and then leads to the next one.
      present = try unwrapSuccessorKey(of: generation, with: present)
      generation += 1
    }
    throw .wrongKey
  }

  /// Unwraps, in a file of format version 1, the key of the generation after `generation` with the
  /// key of `generation`.
  /// - Throws: ``StoreError/wrongKey`` if `key` is not the key of `generation`,
  ///   ``StoreError/damaged(rows:)`` if no wrapped successor key is stored for it.
  package func unwrapSuccessorKey(
    of generation: UInt64, with key: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    let wrap = try Self.wrappingKey(key, group: header.groupID)
    guard
      let successor = try unwrap(
        generation, wrap, header.wrappedSuccessorKeyData(of: generation))
    else { throw .wrongKey }
    return successor
  }

  /// Nil if `key` does not open the row.
  private func unwrap(
    _ generation: UInt64, _ key: SealingKey, _ associatedData: [UInt8]
  ) throws(StoreError) -> SecretBytes? {
    guard generation <= Format.largestGeneration,
      let sealed = try database.meta(Format.wrappedSuccessorKeyRow(generation))
    else { throw .damaged(rows: nil) }
    do { return try key.openSecret(sealed, associatedData: associatedData) } catch {
      guard error == .failed else { throw .crypto }
      return nil
    }
  }
}

extension GroupHeader {
  /// The associated data of a key that format version 1 wraps under the key of `generation`.
  func wrappedSuccessorKeyData(of generation: UInt64) -> [UInt8] {
    var row = ByteWriter()
    row.number(generation)
    return associatedData(.wrappedSuccessorKey, row: row.bytes)
  }

  /// The associated data of the present keyring part, wrapped for a keyring that has the part of
  /// `former`.
  func wrappedSuccessorKeyData(replacing former: UInt64) -> [UInt8] {
    var row = ByteWriter()
    row.number(former)
    row.number(generation)
    return associatedData(.wrappedSuccessorKey, row: row.bytes)
  }
}
