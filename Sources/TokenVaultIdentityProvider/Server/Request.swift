import Foundation

/// A parsed HTTP request.
struct Request {
  let method: String
  let segments: [String]
  /// The host of Entra External ID that the request is for: `/at/HOST/…` stands for
  /// `https://HOST/…`, because nothing on this machine can have such a name and a certificate for
  /// it.
  let externalHost: String?
  let query: FormFields
  /// By name in lower case; the values of a repeated header are joined by commas.
  let headers: [String: String]
  let body: [UInt8]

  /// Reads a head without its blank line. Returns nil for anything but HTTP/1.x, and for a target
  /// with a malformed path or query.
  init?(head: String, body: [UInt8], under prefix: [String]) {
    let lines = head.components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/") else {
      return nil
    }
    method = String(words[0])
    let parts = words[1].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let query = FormFields(encoded: parts.count > 1 ? String(parts[1]) : "") else {
      return nil
    }
    self.query = query
    let encoded = parts[0].split(separator: "/")
    let segments = encoded.compactMap(\.removingPercentEncoding)
    guard segments.count == encoded.count else { return nil }
    let own = segments.starts(with: prefix) ? Array(segments.dropFirst(prefix.count)) : segments
    let isForHost = own.first == "at" && own.count > 1
    externalHost = isForHost ? own[1].lowercased() : nil
    self.segments = isForHost ? Array(own.dropFirst(2)) : own
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        let pair = line.split(separator: ":", maxSplits: 1)
        guard pair.count == 2 else { return nil }
        return (pair[0].lowercased(), pair[1].trimmingCharacters(in: .whitespaces))
      }, uniquingKeysWith: { $0 + ", " + $1 })
    self.body = body
  }

  /// The parameters of a form; nil if the body is not a form or is malformed.
  var form: FormFields? {
    let type = headers["content-type"]?.prefix { $0 != ";" }
      .trimmingCharacters(in: .whitespaces).lowercased()
    guard type == "application/x-www-form-urlencoded",
      let text = String(validating: body, as: UTF8.self)
    else { return nil }
    return FormFields(encoded: text)
  }

  func cookie(_ name: String) -> String? {
    headers["cookie"]?.components(separatedBy: "; ").first { $0.hasPrefix(name + "=") }
      .map { String($0.dropFirst(name.count + 1)) }
  }

  var bearer: String? { credentials("bearer") }

  /// The part of the Authorization header after the name of the scheme; nil for another scheme.
  func credentials(_ scheme: String) -> String? {
    guard let value = headers["authorization"], value.lowercased().hasPrefix(scheme + " ") else {
      return nil
    }
    return String(value.dropFirst(scheme.count + 1))
  }
}
