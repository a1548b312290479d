import Synchronization
import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultSystem

/// The parts of a new key on their way to their places. Another thread stores them, because a keyring
/// takes about as long for that as the file for moving a large group to the key.
final class KeyStoring: Sendable {
  /// The parts are not stored yet.
  struct Unfinished: Error {}

  private let result = Mutex<Result<Void, CustodyError>>(.success(()))
  private let ended = Signal()

  init(_ new: KeyParts, as id: GroupKeyID, in places: KeyPartStore) {
    Signal.onOtherThread { [self] in
      let stored = Result { () throws(CustodyError) in try places.store(new, as: id) }
      result.withLock { $0 = stored }
      ended.send()
    }
  }

  /// Returns when the parts are stored and were read back.
  /// - Throws: ``Unfinished`` after so many milliseconds, or the error of a place.
  func wait(milliseconds: Int) throws {
    guard ended.wait(milliseconds: milliseconds) else { throw Unfinished() }
    // For the next call.
    ended.send()
    try result.withLock { $0 }.get()
  }

  /// Waits until nothing is being stored any more.
  /// - Returns: Whether the parts are stored.
  func isStoredInTheEnd() -> Bool {
    ended.wait()
    ended.send()
    if case .success = result.withLock({ $0 }) { return true }
    return false
  }
}
