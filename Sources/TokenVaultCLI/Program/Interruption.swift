import Glibc
import TokenVaultSignIn

/// Ctrl-C while a command waits for a provider or the user: the wait ends, nothing is left half
/// done, and the exit status is 130. A second Ctrl-C ends the process at once.
enum Interruption {
  private static let cancellation = Cancellation()
  /// Async-signal-safe: one store, into memory that was initialised before the handler was set.
  private static let note: @convention(c) (Int32) -> Void = { _ in cancellation.cancel() }

  /// Installs handlers for SIGINT, SIGTERM and SIGHUP, and returns the cancellation they trigger.
  static func handled() -> Cancellation {
    // Initialises the constant before a handler can use it.
    let cancellation = Self.cancellation
    // A parent may have blocked these signals; the command must still be possible to end.
    var wanted = sigset_t()
    unsafe sigemptyset(&wanted)
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&wanted, signal) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var (action, old) = (sigaction(), sigaction())
      guard unsafe sigaction(signal, nil, &old) == 0 else { continue }
      // A signal that the parent set to be ignored (nohup) stays ignored.
      let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
      if handler == 1 { continue }
      unsafe action.__sigaction_handler.sa_handler = note
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      unsafe sigaction(signal, &action, nil)
    }
    return cancellation
  }
}
