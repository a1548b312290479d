import Synchronization
import TokenVaultSignIn

/// Runs a closure once, after the provider has answered a refresh and before the response is read.
final class AfterRefresh: BlockingTransport {
  private let base: any BlockingTransport
  private let body: Mutex<(@Sendable () throws -> Void)?>

  init(_ base: any BlockingTransport, _ body: @escaping @Sendable () throws -> Void) {
    self.base = base
    self.body = Mutex(body)
  }

  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    let answer = try base.send(request, cancellation)
    let form = String(decoding: request.body ?? [], as: UTF8.self)
    guard form.contains("grant_type=refresh_token") else { return answer }
    let now = body.withLock { body in
      defer { body = nil }
      return body
    }
    do { try now?() } catch { throw .other(code: -1) }
    return answer
  }
}
