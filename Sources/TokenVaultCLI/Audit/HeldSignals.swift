import Glibc
import Synchronization

/// Signals that would end the program, noted while a file is between two names, and delivered after.
final class HeldSignals {
  private static let arrived = Atomic<Int32>(0)
  /// Async-signal-safe: one store, into memory that was initialised before the handler was set.
  private static let note: @convention(c) (Int32) -> Void = { signal in
    HeldSignals.arrived.store(signal, ordering: .relaxed)
  }

  private var former: [(signal: Int32, action: sigaction)] = []

  init() {
    Self.arrived.store(0, ordering: .relaxed)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var (action, old) = (sigaction(), sigaction())
      unsafe action.__sigaction_handler.sa_handler = Self.note
      action.sa_flags = SA_RESTART
      guard unsafe sigaction(signal, &action, &old) == 0 else { continue }
      former.append((signal, old))
    }
  }

  /// Delivers the signal that arrived last.
  /// - Returns: Its number; 0 if there was none.
  @discardableResult
  func release() -> Int32 {
    for handler in former {
      var action = handler.action
      unsafe sigaction(handler.signal, &action, nil)
    }
    former = []
    let signal = Self.arrived.load(ordering: .relaxed)
    if signal != 0 { kill(getpid(), signal) }
    return signal
  }
}
