/// A connection to the network that blocks the calling thread for the length of one exchange.
package protocol BlockingTransport: Sendable {
  /// Sends a request and waits for the response. Never follows a redirect, and never sends anything
  /// to an `http` address that is not on this machine.
  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse
}

extension BlockingTransport {
  /// ``send(_:_:)`` with this module's error.
  package func exchange(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(SignInError) -> HTTPResponse {
    do { return try send(request, cancellation) } catch .cancelled { throw .cancelled } catch {
      throw .transport(error)
    }
  }
}
