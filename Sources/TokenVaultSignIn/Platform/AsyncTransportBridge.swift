import Dispatch
import Synchronization
import TokenVaultSystem

/// An async transport for code that blocks its own thread.
///
/// The exchange runs as a task while the calling thread waits. That thread must be neither the main
/// thread nor one of Swift's cooperative pool, because the task may need either to make progress;
/// `PublicClientApplication` calls from Dispatch queues of its own.
package struct AsyncTransportBridge: BlockingTransport {
  private let transport: any HTTPTransport

  package init(_ transport: any HTTPTransport) { self.transport = transport }

  /// The deadline and the cancellation hold even if the transport ignores both: its task is then
  /// cancelled and left behind.
  package func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    let host = request.address.host
    guard request.address.isConfidential else { throw .notConfidential(host: host) }
    if cancellation.isCancelled { throw .cancelled }
    let deadline = Deadline(milliseconds: max(request.deadlineMilliseconds, 1))
    let outcome = Outcome()
    // Detached: the caller is on no actor, and the exchange must not inherit one.
    let task = Task.detached { [transport] in
      let result: Result<HTTPResponse, TransportError>
      do throws(TransportError) { result = .success(try await transport.send(request)) } catch {
        result = .failure(error)
      }
      outcome.store(result)
    }
    while true {
      if let result = outcome.wait(milliseconds: min(100, deadline.millisecondsLeft)) {
        let response = try result.get()
        guard response.body.count <= max(request.answerLimit, 0) else {
          throw .tooLarge(limit: request.answerLimit)
        }
        return response
      }
      let isCancelled = cancellation.isCancelled
      guard isCancelled || deadline.hasPassed else { continue }
      task.cancel()
      throw isCancelled ? .cancelled : .timedOut(host: host)
    }
  }

  /// The result of an exchange, handed from its task to the waiting thread.
  private final class Outcome: Sendable {
    private let result = Mutex<Result<HTTPResponse, TransportError>?>(nil)
    private let isStored = DispatchSemaphore(value: 0)

    func store(_ result: Result<HTTPResponse, TransportError>) {
      self.result.withLock { $0 = result }
      isStored.signal()
    }

    /// Returns nil if there is no result after so many milliseconds.
    func wait(milliseconds: Int) -> Result<HTTPResponse, TransportError>? {
      guard isStored.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
        return nil
      }
      return result.withLock { $0 }
    }
  }
}
