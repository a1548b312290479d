import Glibc
import Synchronization

/// A wish to end what another thread waits for. Whoever waits looks at it at least ten times a
/// second; asking for it is async-signal-safe.
public final class Cancellation: Sendable {
  private let flag = Atomic(false)
  private let followed: Cancellation?
  private let delayMilliseconds: Int64
  /// When the followed wish was first seen; 0 for not yet.
  private let seen = Atomic<Int64>(0)

  /// A wish that nobody has yet.
  public init() { (followed, delayMilliseconds) = (nil, 0) }

  /// A wish that follows another so much later.
  package init(following other: Cancellation, delayMilliseconds: Int64) {
    (followed, self.delayMilliseconds) = (other, delayMilliseconds)
  }

  /// Asks for the end.
  public func cancel() { flag.store(true, ordering: .relaxed) }

  /// Whether somebody asked for the end.
  public var isCancelled: Bool {
    if flag.load(ordering: .relaxed) { return true }
    guard let followed, followed.isCancelled else { return false }
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let now = Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000 + 1
    let (isFirst, first) = seen.compareExchange(expected: 0, desired: now, ordering: .relaxed)
    return !isFirst && now - first >= delayMilliseconds
  }
}
