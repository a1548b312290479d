import Foundation
import Synchronization

/// A call on its own thread.
final class OtherThread<R: Sendable>: Sendable {
  private let result = Mutex<Result<R, any Error>?>(nil)
  private let done = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () throws -> R) {
    Thread.detachNewThread { [self] in
      let outcome = Result { try body() }
      result.withLock { $0 = outcome }
      done.signal()
    }
  }

  /// Waits until the call ends, and returns its result. Call it at most once.
  func wait() throws -> R {
    done.wait()
    return try result.withLock { try $0?.get() } ?? { throw CancellationError() }()
  }
}
