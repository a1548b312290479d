import TokenVaultCrypto

extension TagKey {
  /// The tag of a row, a name or an account.
  func rowTag(_ message: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try tag(message) } catch { throw .crypto }
  }
}
