/// A connection to the network that a tool author supplies, for instance over AsyncHTTPClient or
/// URLSession, in the place of libcurl.
///
/// ```swift
/// struct MyTransport: HTTPTransport {
///   func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
///     do {
///       let reply = try await client.execute(request.method, request.address.description, …)
///       return HTTPResponse(status: reply.status, headers: reply.headers, body: reply.body)
///     } catch {
///       throw .unreachable(host: request.address.host)
///     }
///   }
/// }
/// ```
///
/// ``send(_:)`` is called from a task of its own and may run on any actor, the main actor included.
public protocol HTTPTransport: Sendable {
  /// Sends a request and returns the response, whatever its status.
  ///
  /// An implementation must not follow redirects, must check the server's certificate, and must not
  /// send a body a second time if the server may have received it: a refresh token that arrives
  /// twice looks stolen (RFC 9700 section 4.14.2). It keeps no cookies and writes no log, because
  /// the request holds secrets.
  ///
  /// The task is cancelled when the caller gives up, or when the request's deadline has passed. The
  /// caller does not wait any longer then, even if the implementation ignores the cancellation; a
  /// response that arrives later is dropped. Requests to `http` addresses on other machines never
  /// get here, and a body larger than the request's limit is refused.
  /// - Throws: only ``TransportError/unknownHost(_:)``, ``TransportError/refused(host:)`` and
  ///   ``TransportError/unreachableProxy`` make TokenVault send the request again, so throw these
  ///   only if nothing of it reached the server.
  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse
}
