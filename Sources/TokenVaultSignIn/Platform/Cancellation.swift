import Glibc
import Synchronization
import TokenVaultSystem

/// A request to end a blocking call of another thread. The call checks it at least ten times a
/// second; ``cancel()`` is async-signal-safe.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let followed: Cancellation?
  private let delayMilliseconds: Int64
  /// The time when `followed` was first seen to be cancelled; 0 for not yet.
  private let seen = Atomic<Int64>(0)
  private let limit: Deadline?

  /// A cancellation token that has not been cancelled.
  public init() { (followed, delayMilliseconds, limit) = (nil, 0, nil) }

  /// A token that is cancelled this much later than another one.
  package init(following other: Cancellation, delayMilliseconds: Int64) {
    (followed, self.delayMilliseconds, limit) = (other, delayMilliseconds, nil)
  }

  /// A token that is cancelled with another one, or after this time.
  package init(following other: Cancellation, limitMilliseconds: Int) {
    (followed, delayMilliseconds) = (other, 0)
    limit = Deadline(milliseconds: limitMilliseconds)
  }

  /// Whether the token's own limit has passed, and the other token has not been cancelled.
  package var isTimedOut: Bool { limit?.hasPassed == true && followed?.isCancelled != true }

  /// The token without its time limit: it is cancelled with the other one only.
  package var withoutLimit: Cancellation { limit == nil ? self : followed ?? self }

  /// Cancels.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether the token has been cancelled.
  public var isCancelled: Bool {
    if flag.load(ordering: .relaxed) || limit?.hasPassed == true { return true }
    guard let followed, followed.isCancelled else { return false }
    // The clock may stand at 0, which means "not yet".
    let now = Deadline.microseconds / 1000 + 1
    let (isFirst, first) = seen.compareExchange(expected: 0, desired: now, ordering: .relaxed)
    return !isFirst && now - first >= delayMilliseconds
  }

  /// Waits so long, or until the token is cancelled.
  /// - Throws: ``SignInError/cancelled``.
  package func wait(milliseconds: Int) throws(SignInError) {
    var left = milliseconds
    while left > 0 {
      if isCancelled { throw .cancelled }
      let slice = min(left, 100)
      usleep(UInt32(slice) * 1000)
      left -= slice
    }
  }
}
