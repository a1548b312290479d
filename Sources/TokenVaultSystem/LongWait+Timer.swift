extension LongWait {
  /// Runs `body`, and reports the wait if it takes longer than ``milliseconds``. For calls that give
  /// no other opportunity to look at the clock. If the process may have no further thread, the wait is
  /// not reported.
  package func during<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    guard Self.isObserved else { return try body() }
    let end = Signal()
    defer { end.send() }
    _ = WorkerThread.start {
      if !end.wait(milliseconds: Self.milliseconds) { report() }
    }
    return try body()
  }
}
