import Glibc
import TokenVaultSignIn

/// Ctrl-C while a provider or the user is waited for: the wait ends, nothing is left half done,
/// and the command says so with 130. A second one ends the process at once.
enum Interruption {
  private static let cancellation = Cancellation()
  /// Async-signal-safe: one store, into what was initialised before the handler was set.
  private static let note: @convention(c) (Int32) -> Void = { _ in cancellation.cancel() }

  /// The wish of whoever sends SIGINT, SIGTERM or SIGHUP from now on.
  static func wish() -> Cancellation {
    let wish = cancellation
    // Whoever starts the command from a thread that blocks signals must still be able to end it.
    var wanted = sigset_t()
    unsafe sigemptyset(&wanted)
    for signal in [SIGINT, SIGTERM, SIGHUP] { unsafe sigaddset(&wanted, signal) }
    unsafe pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      var (action, old) = (sigaction(), sigaction())
      guard unsafe sigaction(signal, nil, &old) == 0 else { continue }
      // What was to be ignored by whoever started the command (nohup) stays ignored.
      let handler = unsafe unsafeBitCast(old.__sigaction_handler.sa_handler, to: Int.self)
      if handler == 1 { continue }
      unsafe action.__sigaction_handler.sa_handler = note
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
      unsafe sigaction(signal, &action, nil)
    }
    return wish
  }
}
