import TokenVaultCrypto

extension SealingKey {
  /// Opens a row. A row that does not authenticate is damage to that one row.
  func openRow(_ sealed: [UInt8], _ associatedData: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try open(sealed, associatedData: associatedData) } catch {
      throw error == .failed ? .damaged(rows: 1) : .crypto
    }
  }

  /// Seals a row.
  func sealRow(_ plaintext: [UInt8], _ associatedData: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try seal(plaintext, associatedData: associatedData) } catch { throw .crypto }
  }
}
