import TokenVaultCrypto

extension TagKey {
  /// The tag of a row, a name or an account.
  func rowTag(_ message: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try tag(message) } catch { throw .crypto }
  }

  /// The digest of an account row.
  func rowDigest(tag: [UInt8], keyID: [UInt8], seal: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter(capacity: tag.count + keyID.count + seal.count + 16)
    writer.text("row")
    for part in [tag, keyID, seal] { writer.data(part) }
    return try rowTag(writer.bytes)
  }
}
