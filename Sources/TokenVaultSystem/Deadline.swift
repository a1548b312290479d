package import Glibc

/// A point in time by the monotonic clock, which setting the system's time does not move.
package struct Deadline: Sendable {
  /// By ``microseconds``.
  private let end: Int64

  /// A deadline so many milliseconds from now; a negative number counts as 0.
  package init(milliseconds: Int) {
    // The bound, some 35,000 years, keeps the sum from overflowing.
    end = Self.microseconds + Int64(max(0, min(milliseconds, 1 << 50))) * 1000
  }

  /// Microseconds until the deadline; 0 once it has passed.
  package var microsecondsLeft: Int { Int(max(0, end - Self.microseconds)) }

  /// Milliseconds until the deadline, rounded up so that a wait of this length reaches it; 0 once
  /// it has passed.
  package var millisecondsLeft: Int { (microsecondsLeft + 999) / 1000 }

  /// Whether the deadline has passed.
  package var hasPassed: Bool { microsecondsLeft == 0 }

  /// The time left for SO_SNDTIMEO and SO_RCVTIMEO, at least a microsecond: to them, zero means no
  /// limit.
  package var socketTimeout: timeval {
    let left = max(microsecondsLeft, 1)
    return timeval(tv_sec: left / 1_000_000, tv_usec: left % 1_000_000)
  }

  /// Waits until the descriptor is ready.
  /// - Parameters:
  ///   - events: poll(2)'s, such as `POLLIN`.
  ///   - descriptor: the descriptor to wait for.
  /// - Returns: false when the deadline passed first.
  package func wait(
    for events: Int32, on descriptor: Int32
  ) throws(SystemCallError) -> Bool {
    while true {
      let left = millisecondsLeft
      guard left > 0 else { return false }
      var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      let ready = unsafe poll(&entry, 1, Int32(clamping: left))
      if ready > 0 { return true }
      if ready < 0, errno != EINTR { throw SystemCallError(errno: errno, call: "poll") }
    }
  }

  /// The monotonic clock's time in microseconds.
  package static var microseconds: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
  }
}
