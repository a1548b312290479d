import Glibc
import TokenVaultSignIn
import TokenVaultSystem

/// Receives a redirect on a loopback address (RFC 8252 section 7.3).
final class LoopbackListener: RedirectListener {
  let redirectURI: String
  private var sockets: [Int32]

  /// Listens on the host's address; for `localhost` on both, with the same port, if the machine has
  /// both.
  init(
    _ host: RedirectURI.Loopback, port: UInt16?, path: String
  ) throws(SystemCallError) {
    let chosen: UInt16
    switch host {
    case .v4:
      let bound = try ListeningSocket.v4(port ?? 0)
      (sockets, chosen) = ([bound.socket], bound.port)
    case .v6:
      let bound = try ListeningSocket.v6(port ?? 0)
      (sockets, chosen) = ([bound.socket], bound.port)
    case .localhost: (sockets, chosen) = try Self.both(port)
    }
    redirectURI = RedirectURI.loopback(host, port: chosen, path: path).description
  }

  deinit { close() }

  func close() {
    for socket in sockets { Glibc.close(socket) }
    sockets = []
  }

  func receive(
    deadlineMilliseconds: Int, _ cancellation: Cancellation,
    evaluate: (RedirectRequest) -> RedirectResult
  ) throws(SignInError) {
    let reception = Reception(listeners: sockets, limit: RedirectRequest.limit)
    try reception.run(deadlineMilliseconds: deadlineMilliseconds, cancellation) { bytes in
      switch RedirectRequest.read(bytes) {
      case .incomplete: nil
      case .malformed:
        Self.reply(
          RedirectResult(status: 400, page: "<!doctype html><title>400</title>", isAnswer: false))
      case .request(let request): Self.reply(evaluate(request), hasPage: request.method != "HEAD")
      }
    }
  }

  /// The HTTP response. Its page loads nothing, is not cached, and sends no referrer, because its
  /// URL contains the code.
  private static func reply(_ result: RedirectResult, hasPage: Bool = true) -> Reception.Reply {
    let head = """
      HTTP/1.1 \(result.status) \r
      Content-Type: text/html; charset=utf-8\r
      Content-Length: \(result.page.utf8.count)\r
      Connection: close\r
      Cache-Control: no-store\r
      Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
      form-action 'none'; frame-ancestors 'none'\r
      Referrer-Policy: no-referrer\r
      X-Content-Type-Options: nosniff\r
      \r

      """
    return Reception.Reply(
      bytes: Array((hasPage ? head + result.page : head).utf8), isAnswer: result.isAnswer)
  }

  private static func both(_ port: UInt16?) throws(SystemCallError) -> ([Int32], UInt16) {
    var attempts = 0
    while true {
      let first = try ListeningSocket.v4(port ?? 0)
      do throws(SystemCallError) {
        return ([first.socket, try ListeningSocket.v6(first.port).socket], first.port)
      } catch {
        // A machine without IPv6, whose browser cannot use it either.
        if [EAFNOSUPPORT, EADDRNOTAVAIL].contains(error.errno) {
          return ([first.socket], first.port)
        }
        Glibc.close(first.socket)
        attempts += 1
        // Another process has the port at the IPv6 address, and would receive the code.
        guard error.errno == EADDRINUSE, port == nil, attempts < 16 else { throw error }
      }
    }
  }
}
