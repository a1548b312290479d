import Foundation

/// Runs a blocking call on a thread of its own.
func onThread<Result: Sendable>(_ call: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    Thread.detachNewThread { continuation.resume(returning: call()) }
  }
}
