import Glibc

/// A point in time after which nothing is waited for, by the clock that nobody sets.
struct Deadline {
  private let end: Int64

  init(milliseconds: Int) { end = Self.now + Int64(clamping: max(0, min(milliseconds, 1 << 40))) }

  /// Milliseconds until then; 0 when it has passed.
  var left: Int { Int(max(0, end - Self.now)) }
  var hasPassed: Bool { left == 0 }

  private static var now: Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
