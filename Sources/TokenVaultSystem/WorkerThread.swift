import Glibc

/// Threads for work that may block.
///
/// They come from pthread_create(3), because libdispatch waits without end where the process may have no
/// further thread.
package enum WorkerThread {
  private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Whether the process can have so many threads more at this moment.
  package static func canStart(_ count: Int) -> Bool {
    let end = Signal()
    var started: [pthread_t] = []
    while started.count < count, let thread = create({ end.wait() }) { started.append(thread) }
    for _ in started { end.send() }
    // A thread counts until it has ended.
    for thread in started { pthread_join(thread, nil) }
    return started.count == count
  }

  /// Runs work on a thread of its own. It handles no signal that is sent to the process.
  /// - Returns: False if there can be no further thread; the work is not done then.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = create(body) else { return false }
    pthread_detach(thread)
    return true
  }

  private static func create(_ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let work = unsafe Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    var (all, former) = (sigset_t(), sigset_t())
    unsafe sigfillset(&all)
    // The signals of an error in the thread itself. If one is blocked, the handler of a program that
    // reports crashes does not run.
    for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT] {
      unsafe sigdelset(&all, signal)
    }
    // A new thread inherits the mask.
    unsafe pthread_sigmask(SIG_SETMASK, &all, &former)
    let failure = unsafe pthread_create(
      &thread, nil,
      { work in
        guard let work = unsafe work else { return nil }
        unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
        return nil
      }, work.toOpaque())
    unsafe pthread_sigmask(SIG_SETMASK, &former, nil)
    guard failure == 0 else {
      unsafe work.release()
      return nil
    }
    return thread
  }
}
