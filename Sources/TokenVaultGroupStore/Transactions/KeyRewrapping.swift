import Synchronization
import TokenVaultCrypto
import TokenVaultSystem

/// Wraps account keys under the key of the next generation. It needs no database, so that two threads
/// can share the work; a key is used by one thread at a time.
struct KeyRewrapping {
  typealias Wrapped = (wrapped: [UInt8], associatedData: [UInt8])

  private let former: SealingKey
  private let next: SealingKey

  init(from former: SealingKey, to next: SealingKey) {
    self.former = former
    self.next = next
  }

  /// Wraps keys under the next key, half of them on another thread if there is a helper.
  /// - Returns: The wrapped keys in the same order; nil for a key that does not open.
  func rewrap(_ keys: [Wrapped], with helper: KeyRewrapping?) throws(StoreError) -> [[UInt8]?] {
    guard let helper else { return try rewrap(keys) }
    let middle = keys.count / 2
    let theirs = Mutex<Result<[[UInt8]?], StoreError>>(.success([]))
    let ended = Signal()
    nonisolated(unsafe) let other = helper
    let rest = Array(keys[middle...])
    Signal.onOtherThread {
      let result = Result { () throws(StoreError) in unsafe try other.rewrap(rest) }
      theirs.withLock { $0 = result }
      ended.send()
    }
    let ours = Result { () throws(StoreError) in try rewrap(Array(keys[..<middle])) }
    ended.wait()
    return try ours.get() + theirs.withLock { $0 }.get()
  }

  private func rewrap(_ keys: [Wrapped]) throws(StoreError) -> [[UInt8]?] {
    do { return try next.rewrap(keys, from: former) } catch { throw .crypto }
  }
}
