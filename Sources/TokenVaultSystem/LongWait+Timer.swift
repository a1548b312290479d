import Dispatch

extension LongWait {
  /// Runs `body`, and reports the wait if it takes longer than ``milliseconds``. For calls that give
  /// no other opportunity to look at the clock.
  package func during<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    guard Self.isObserved else { return try body() }
    let timer = DispatchWorkItem { report() }
    DispatchQueue.global().asyncAfter(
      deadline: .now() + .milliseconds(Self.milliseconds), execute: timer)
    defer { timer.cancel() }
    return try body()
  }
}
