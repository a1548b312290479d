import Dispatch

/// A signal from one thread to another, which counts: each ``send()`` ends one ``wait()``.
package struct Signal: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  package func send() { semaphore.signal() }
  package func wait() { semaphore.wait() }

  /// Waits for so many milliseconds at most.
  /// - Returns: False if there was no signal.
  package func wait(milliseconds: Int) -> Bool {
    semaphore.wait(timeout: .now() + .milliseconds(milliseconds)) == .success
  }
}
