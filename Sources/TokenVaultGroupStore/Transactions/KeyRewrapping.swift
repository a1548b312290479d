import TokenVaultCrypto
import TokenVaultSystem

/// Wraps account keys under the key of the next generation. It needs no database, so that another thread
/// can do it.
struct KeyRewrapping {
  /// The wrapped keys of some accounts, all in the same memory: an array for each would take longer to make
  /// than a key to wrap.
  struct Keys: Sendable {
    static let tagSize = 32
    static let idSize = 16

    /// The row of each key.
    var rows: [Int64] = []
    /// For each key, the tag of its account and its id.
    var names: [UInt8] = []
    /// Each key, wrapped.
    var wrapped: [UInt8] = []
    /// The indices of the keys that do not open, in order.
    var failures: [Int] = []

    /// Where the wrapped key with this index is.
    static func place(_ index: Int) -> Range<Int> {
      index * SealingKey.wrappedKeySize..<(index + 1) * SealingKey.wrappedKeySize
    }
  }

  private let header: GroupHeader
  private let former: SealingKey
  private let next: SealingKey

  init(of header: GroupHeader, from former: SealingKey, to next: SealingKey) {
    self.header = header
    self.former = former
    self.next = next
  }

  /// For fewer keys, another thread would take longer to start than to work.
  private static let fewestForAThread = 64

  /// Wraps keys under the next key on another thread, while this one runs `meanwhile`, which must not use
  /// either key.
  func rewrap(
    _ keys: Keys, meanwhile: () throws(StoreError) -> Void
  ) throws(StoreError) -> Keys {
    guard keys.rows.count >= Self.fewestForAThread else {
      try meanwhile()
      return try rewrap(keys)
    }
    nonisolated(unsafe) let other = self
    let wrapped = PendingResult { () throws(StoreError) in unsafe try other.rewrap(keys) }
    let ours = Result { () throws(StoreError) in try meanwhile() }
    let result = Result { () throws(StoreError) in try wrapped.value() }
    try ours.get()
    return try result.get()
  }

  private func rewrap(_ keys: Keys) throws(StoreError) -> Keys {
    let empty = header.associatedData(
      .accountKey, account: [UInt8](repeating: 0, count: Keys.tagSize),
      row: [UInt8](repeating: 0, count: Keys.idSize))
    // One byte for the version, the group with its length, and the length of the tag precede the tag. The
    // id is the end.
    let tag = 3 + header.groupID.count
    let id = empty.count - Keys.idSize
    var keys = keys
    let names = keys.names
    do {
      keys.failures = try next.rewrap(&keys.wrapped, from: former) { index, data in
        if data.isEmpty { data = empty }
        let start = index * (Keys.tagSize + Keys.idSize)
        for byte in 0..<Keys.tagSize { data[tag + byte] = names[start + byte] }
        for byte in 0..<Keys.idSize { data[id + byte] = names[start + Keys.tagSize + byte] }
      }
    } catch { throw .crypto }
    return keys
  }
}
