package import TokenVaultCrypto

// A wrapped successor key is a generation's key, sealed under the key of the generation before. If
// the keyring loses the newest key in a power cut, the wrapped key can be opened with the older key,
// which the keyring still has.
extension LockedGroup {
  /// The generations whose successor's key is stored wrapped under their own key, in ascending
  /// order.
  package func generationsWithWrappedSuccessorKey() throws(StoreError) -> [UInt64] {
    let query = try database.statement("SELECT id FROM meta WHERE id >= ? ORDER BY id")
    try query.bind(1, Format.firstWrappedSuccessorKeyRow)
    var found: [UInt64] = []
    while try query.step() {
      found.append(UInt64(query.int64(0) - Format.firstWrappedSuccessorKeyRow))
    }
    return found
  }

  /// Unwraps the key of the generation after `generation` with the key of `generation`.
  /// - Throws: ``StoreError/wrongKey`` if `key` is not the key of `generation`,
  ///   ``StoreError/damaged(rows:)`` if no wrapped successor key is stored for it.
  package func unwrapSuccessorKey(
    of generation: UInt64, with key: borrowing SecretBytes
  ) throws(StoreError) -> SecretBytes {
    let row = Format.wrappedSuccessorKeyRow(generation)
    guard let sealed = try database.meta(row) else { throw .damaged(rows: nil) }
    do {
      return try Self.wrappingKey(key, group: header.groupID).openSecret(
        sealed, associatedData: header.wrappedSuccessorKeyData(of: generation))
    } catch let error as CryptoError {
      throw error == .failed ? .wrongKey : .crypto
    } catch let error as StoreError {
      throw error
    } catch { throw .crypto }
  }
}

extension GroupHeader {
  /// The associated data of the key that is wrapped under the key of `generation`.
  func wrappedSuccessorKeyData(of generation: UInt64) -> [UInt8] {
    var row = ByteWriter()
    row.number(generation)
    return associatedData(.wrappedSuccessorKey, row: row.bytes)
  }
}
