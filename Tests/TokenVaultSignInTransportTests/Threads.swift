import Foundation

/// Runs a body on so many threads of their own, and waits for all.
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
