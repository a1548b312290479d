import Glibc
import Synchronization
import TokenVaultSystem

/// The signals that arrived while the screen was taken. The handler is async-signal-safe: it stores
/// into memory that was initialised before it was set, and writes to a pipe.
enum UISignals {
  static let ending = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  static let all = ending + [SIGWINCH, SIGTSTP, SIGCONT]

  private static let end = Atomic<Int32>(0)
  private static let stop = Atomic(false)
  private static let resumption = Atomic(false)
  private static let pipe = Atomic<Int32>(-1)

  /// Clears the recorded signals. From now on each signal writes a byte to the descriptor.
  static func begin(waking descriptor: Int32) {
    end.store(0, ordering: .relaxed)
    stop.store(false, ordering: .relaxed)
    resumption.store(false, ordering: .relaxed)
    pipe.store(descriptor, ordering: .relaxed)
  }

  /// The signal to end with; nil for none.
  static var arrived: Int32? {
    let signal = end.load(ordering: .relaxed)
    return signal == 0 ? nil : signal
  }
  static func takeStop() -> Bool { stop.exchange(false, ordering: .relaxed) }
  static func takeResumption() -> Bool { resumption.exchange(false, ordering: .relaxed) }

  static let note: @convention(c) (Int32) -> Void = { signal in
    let failure = errno
    switch signal {
    case SIGTSTP: UISignals.stop.store(true, ordering: .relaxed)
    case SIGCONT: UISignals.resumption.store(true, ordering: .relaxed)
    case SIGWINCH: break
    default: UISignals.end.store(signal, ordering: .relaxed)
    }
    var byte: UInt8 = 0
    _ = unsafe write(UISignals.pipe.load(ordering: .relaxed), &byte, 1)
    errno = failure
  }
}
