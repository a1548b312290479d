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
  /// - Throws: The error of a place; ``Unfinished`` if the deadline passes before.
  func wait(until deadline: Deadline) throws {
    guard ended.wait(milliseconds: deadline.millisecondsLeft) else { throw Unfinished() }
    ended.send()
    try wait()
  }

  /// Returns when the parts are stored and were read back, however long that takes.
  /// - Throws: The error of a place.
  func wait() throws(CustodyError) {
    ended.wait()
    // For the next call.
    ended.send()
    try result.withLock { $0 }.get()
  }

  /// Whether the parts are stored, when nothing is being stored any more.
  var isStoredInTheEnd: Bool {
    // absent is an answer: the caller reports the first error.
    do throws(CustodyError) { try wait() } catch { return false }
    return true
  }
}
