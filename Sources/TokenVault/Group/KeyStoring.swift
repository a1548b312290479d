import TokenVaultGroupStore
import TokenVaultKeyCustody
import TokenVaultSystem

/// The parts of a new key on their way to their places. Another thread stores them, because a keyring
/// takes about as long for that as the file for moving a large group to the key.
final class KeyStoring: Sendable {
  /// The parts are not stored yet.
  struct Unfinished: Error {}

  private let storing: PendingResult<Void, CustodyError>

  init(_ new: KeyParts, as id: GroupKeyID, in places: KeyPartStore) {
    storing = PendingResult { () throws(CustodyError) in try places.store(new, as: id) }
  }

  /// Returns when the parts are stored and were read back.
  /// - Throws: The error of a place; ``Unfinished`` if the deadline passes before.
  func wait(until deadline: Deadline) throws {
    guard storing.hasEnded(withinMilliseconds: deadline.millisecondsLeft) else {
      throw Unfinished()
    }
    try wait()
  }

  /// Returns when the parts are stored and were read back, however long that takes.
  /// - Throws: The error of a place.
  func wait() throws(CustodyError) { try storing.value() }

  /// Whether the parts are stored, when nothing is being stored any more.
  var isStoredInTheEnd: Bool {
    // absent is an answer: the caller reports the first error.
    do throws(CustodyError) { try wait() } catch { return false }
    return true
  }
}
