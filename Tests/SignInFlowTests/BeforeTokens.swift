import TokenVaultSignIn

/// Runs a closure before each request that may end with the tokens of a sign-in.
final class BeforeTokens: BlockingTransport {
  private let base: any BlockingTransport
  private let body: @Sendable () -> Void

  init(_ base: any BlockingTransport, _ body: @escaping @Sendable () -> Void) {
    self.base = base
    self.body = body
  }

  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    if String(decoding: request.body ?? [], as: UTF8.self).contains("grant_type=") { body() }
    return try base.send(request, cancellation)
  }
}
