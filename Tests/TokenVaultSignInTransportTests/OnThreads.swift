import Foundation

/// Runs a body on this many threads, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let done = DispatchSemaphore(value: 0)
  for index in 0..<count {
    Thread.detachNewThread {
      body(index)
      done.signal()
    }
  }
  for _ in 0..<count { done.wait() }
}
