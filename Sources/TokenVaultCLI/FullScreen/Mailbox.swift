import Glibc
import Synchronization
import TokenVaultSystem

/// Events from other threads, with a descriptor that is readable while there are any.
final class Mailbox: Sendable {
  private let events = Mutex<[UIEvent]>([])
  /// The loop reads this end.
  let reading: Int32
  /// A write to this end wakes the loop; signal handlers write to it too.
  let waking: Int32

  init() throws(CommandError) {
    var ends: [Int32] = [-1, -1]
    guard unsafe pipe(&ends) == 0 else {
      throw .fileNotMade(path: "pipe", errno: errno)
    }
    (reading, waking) = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      // Non-blocking: a full pipe wakes the reader anyway.
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(reading)
    close(waking)
  }

  func post(_ event: UIEvent) {
    events.withLock { $0.append(event) }
    var byte: UInt8 = 0
    _ = unsafe write(waking, &byte, 1)
  }

  func take() -> [UIEvent] {
    var bytes = [UInt8](repeating: 0, count: 256)
    while unsafe read(reading, &bytes, bytes.count) == bytes.count {}
    return events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
