import Foundation
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// A request as it came, taken apart.
struct Request {
  let method: String
  let segments: [String]
  let query: FormParameters
  /// Names in lower case.
  let headers: [String: String]
  let body: [UInt8]

  /// Reads a head without its blank line; nil for what is no HTTP/1.1 request.
  init?(head: String, body: [UInt8], under prefix: [String]) {
    let lines = head.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = String(words[0])
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = FormParameters(encoded: parts.count > 1 ? parts[1] : "") else { return nil }
    self.query = query
    let segments = parts[0].split(separator: "/").map { $0.removingPercentEncoding ?? String($0) }
    self.segments =
      segments.starts(with: prefix) ? Array(segments.dropFirst(prefix.count)) : segments
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        let pair = line.split(separator: ":", maxSplits: 1)
        guard pair.count == 2 else { return nil }
        return (pair[0].lowercased(), pair[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { $0 + ", " + $1 })
    self.body = body
  }

  /// The parameters of a form; nil where the body is none.
  var form: FormParameters? {
    guard headers["content-type"]?.hasPrefix("application/x-www-form-urlencoded") == true else {
      return nil
    }
    return FormParameters(encoded: String(decoding: body, as: UTF8.self))
  }

  func cookie(_ name: String) -> String? {
    headers["cookie"]?.components(separatedBy: "; ").first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  var bearer: String? { credentials("bearer") }

  /// What stands behind the scheme's name in the Authorization field.
  func credentials(_ scheme: String) -> String? {
    guard let value = headers["authorization"], value.lowercased().hasPrefix(scheme + " ") else {
      return nil
    }
    return String(value.dropFirst(scheme.count + 1))
  }
}

/// An answer, and how it reaches the client.
struct Reply {
  enum Ending: String { case whole, half, cut, hang }

  var status = 200
  var headers: [(String, String)] = []
  var body: [UInt8] = []
  /// Milliseconds to wait, after everything was done, before the answer is sent.
  var delay = 0.0
  var ending = Ending.whole
  /// For the log: `error` of the answer.
  var error: String?

  static func json(_ value: JSONValue, status: Int = 200) -> Reply {
    Reply(
      status: status,
      headers: [
        ("Content-Type", "application/json; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Pragma", "no-cache"),
      ], body: value.bytes, error: value["error"]?.text)
  }

  static func page(_ title: String, _ content: String, status: Int = 200) -> Reply {
    let html = """
      <!doctype html><html lang="en"><head><meta charset="utf-8"><title>\(title.html)</title>
      <style>body{font:16px sans-serif;max-width:28em;margin:3em auto}button{display:block;
      width:100%;margin:.4em 0;padding:.7em;text-align:left}</style></head>
      <body><h1 id="title">\(title.html)</h1>\(content)</body></html>
      """
    return Reply(
      status: status,
      headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
      body: Array(html.utf8))
  }

  static func redirect(_ uri: String, _ parameters: FormParameters) -> Reply {
    let separator = parameters.isEmpty ? "" : uri.contains("?") ? "&" : "?"
    return Reply(
      status: 302,
      headers: [("Location", uri + separator + parameters.encoded), ("Cache-Control", "no-store")],
      error: parameters["error"])
  }

  static let notFound = Reply.json(["error": "not_found"], status: 404)
}

extension String {
  var html: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;").replacingOccurrences(of: "\"", with: "&quot;")
  }
}

/// Random text that nobody guesses.
func randomText(_ count: Int = 32) -> String {
  Base64URL.encode((0..<count).map { _ in UInt8.random(in: 0...255) })
}
