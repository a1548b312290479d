import Synchronization

/// The result of work that another thread does.
///
/// If the process may have no further thread, the work is done before the initialiser returns: it takes
/// longer then, and nothing waits forever.
package final class PendingResult<Success: Sendable, Failure: Error>: Sendable {
  private let result = Mutex<Result<Success, Failure>?>(nil)
  private let ended = Signal()

  /// Begins the work.
  package init(_ work: @escaping @Sendable () throws(Failure) -> Success) {
    let isStarted = WorkerThread.start { [self] in finish(work) }
    if !isStarted { finish(work) }
  }

  private func finish(_ work: () throws(Failure) -> Success) {
    let outcome = Result { () throws(Failure) in try work() }
    result.withLock { $0 = outcome }
    ended.send()
  }

  /// Waits for the end of the work, for so many milliseconds at most.
  /// - Returns: Whether it has ended.
  package func hasEnded(withinMilliseconds milliseconds: Int) -> Bool {
    guard ended.wait(milliseconds: milliseconds) else { return false }
    // For the next call.
    ended.send()
    return true
  }

  /// Waits for the end of the work, however long that takes.
  /// - Throws: The error of the work.
  package func value() throws(Failure) -> Success {
    ended.wait()
    ended.send()
    guard let result = result.withLock({ $0 }) else {
      preconditionFailure("The result is set before the end of the work is reported.")
    }
    return try result.get()
  }
}
