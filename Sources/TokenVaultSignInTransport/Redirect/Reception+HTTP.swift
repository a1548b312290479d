import TokenVaultSignIn
import TokenVaultSystem

extension Reception.Service {
  /// A service that reads one HTTP request of each client.
  static func http(
    _ sockets: [Int32], isOwn: @escaping (Int32) throws(SystemCallError) -> Bool?,
    evaluate: @escaping (RedirectRequest) -> RedirectResult
  ) -> Reception.Service {
    Reception.Service(listeners: sockets, limit: RedirectRequest.limit, isOwn: isOwn) {
      bytes, isOwn in
      switch RedirectRequest.read(bytes) {
      case .incomplete: return nil
      case .malformed:
        return reply(
          RedirectResult(status: 400, page: "<!doctype html><title>400</title>", isAnswer: false))
      case .request(var request):
        request.isOfOtherUser = !isOwn
        return reply(evaluate(request), hasPage: request.method != "HEAD")
      }
    }
  }

  /// The HTTP response. Its page loads nothing, is not cached, and sends no referrer, because its
  /// URL contains the code.
  private static func reply(_ result: RedirectResult, hasPage: Bool = true) -> Reception.Reply {
    let location = result.location.map { "Location: \($0)\r\n" } ?? ""
    let head = """
      HTTP/1.1 \(result.status) \r
      \(location)Content-Type: text/html; charset=utf-8\r
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
}
