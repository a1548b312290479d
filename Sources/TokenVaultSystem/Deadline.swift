package import Glibc

/// A moment after which nothing is waited for, by the monotonic clock, which cannot be set.
package struct Deadline: Sendable {
  /// Microseconds of the clock.
  private let end: Int64

  /// The moment that is `milliseconds` from now; negative counts as 0.
  package init(milliseconds: Int) {
    end = Self.now() + 1000 * Int64(max(0, min(milliseconds, 1 << 40)))
  }

  /// The milliseconds that are left, rounded up so that a wait of that length reaches the
  /// deadline; 0 when it has passed.
  package var left: Int { Int((max(0, end - Self.now()) + 999) / 1000) }

  /// Whether no time is left.
  package var hasPassed: Bool { left == 0 }

  /// The time that is left for SO_SNDTIMEO and SO_RCVTIMEO, at least a microsecond: to them zero
  /// means without end.
  package var socketTimeout: timeval {
    let left = max(end - Self.now(), 1)
    return timeval(tv_sec: Int(left / 1_000_000), tv_usec: Int(left % 1_000_000))
  }

  /// Waits until the descriptor is ready.
  /// - Parameter events: poll(2)'s, such as `POLLIN`.
  /// - Returns: false when the deadline passed first.
  package func wait(
    for events: Int32, on descriptor: Int32
  ) throws(SystemCallError) -> Bool {
    while true {
      let left = left
      guard left > 0 else { return false }
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let ready = unsafe poll(&entry, 1, Int32(clamping: left))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { throw SystemCallError(errno: errno, call: "poll") }
    }
  }

  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
