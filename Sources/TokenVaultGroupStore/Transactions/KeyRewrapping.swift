import TokenVaultCrypto
import TokenVaultSystem

/// Wraps account keys under the key of the next generation. It needs no database, so that another thread
/// can do it.
struct KeyRewrapping {
  /// The wrapped key of an account.
  struct Row: Sendable {
    let id: Int64
    let tag: [UInt8]
    let keyID: [UInt8]
    let wrapped: [UInt8]
  }

  private let header: GroupHeader
  private let former: SealingKey
  private let next: SealingKey

  init(of header: GroupHeader, from former: SealingKey, to next: SealingKey) {
    self.header = header
    self.former = former
    self.next = next
  }

  /// For fewer rows, another thread would take longer to start than to work.
  private static let fewestForAThread = 64

  /// Wraps keys under the next key on another thread, while this one runs `meanwhile`, which must not use
  /// either key.
  /// - Returns: The wrapped keys in the same order; nil for a key that does not open.
  func rewrap(
    _ rows: [Row], meanwhile: () throws(StoreError) -> Void
  ) throws(StoreError) -> [[UInt8]?] {
    guard rows.count >= Self.fewestForAThread else {
      try meanwhile()
      return try rewrap(rows)
    }
    nonisolated(unsafe) let other = self
    let wrapped = PendingResult { () throws(StoreError) in unsafe try other.rewrap(rows) }
    let ours = Result { () throws(StoreError) in try meanwhile() }
    let result = Result { () throws(StoreError) in try wrapped.value() }
    try ours.get()
    return try result.get()
  }

  private func rewrap(_ rows: [Row]) throws(StoreError) -> [[UInt8]?] {
    let keys = rows.map { row in
      (row.wrapped, header.associatedData(.accountKey, account: row.tag, row: row.keyID))
    }
    do { return try next.rewrap(keys, from: former) } catch { throw .crypto }
  }
}
