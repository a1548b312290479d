import TokenVaultModel

/// An absolute http or https URL (RFC 3986), parsed once: every decision about where to send a
/// token uses the parts, never the text.
public struct HTTPURL: Hashable, Sendable, CustomStringConvertible {
  /// `http` or `https`.
  public let scheme: String
  /// The host in lower case; an IPv6 address without its brackets.
  public let host: String
  /// The port; nil for the scheme's default port.
  public let port: UInt16?
  /// The path as given: empty, or beginning with a slash.
  public var path: String
  /// The text after the question mark; nil if there is none.
  public var query: String?

  /// Returns nil unless the text is an absolute http or https URL with a host, of at most 8192
  /// bytes of visible ASCII. A URL with a fragment is refused, and so is one with user information,
  /// because people read the text before an `@` as the host.
  public init?(_ text: String) {
    guard text.utf8.count <= 8192, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      !text.contains(where: { "\\\"<>^`{|}#".contains($0) })
    else { return nil }
    let scheme = text.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), text.dropFirst(scheme.count).hasPrefix("://") else {
      return nil
    }
    let rest = text.dropFirst(scheme.count + 3)
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    guard let (host, port) = Self.hostAndPort(rest[..<end].lowercased()) else { return nil }
    self.scheme = scheme
    self.host = host
    self.port = port == (scheme == "http" ? 80 : 443) ? nil : port
    let question = rest[end...].firstIndex(of: "?")
    path = String(rest[end..<(question ?? rest.endIndex)])
    query = question.map { String(rest[rest.index(after: $0)...]) }
  }

  /// Parses a lower-case host name or address (RFC 3986 section 3.2.2), with or without a port;
  /// returns nil for anything else.
  package static func hostAndPort(_ text: String) -> (host: String, port: UInt16?)? {
    let isLiteral = text.hasPrefix("[")
    guard let end = isLiteral ? text.firstIndex(of: "]") : text.firstIndex(of: ":") ?? text.endIndex
    else { return nil }
    let name = isLiteral ? text[text.index(after: text.startIndex)..<end] : text[..<end]
    let rest = isLiteral ? text[text.index(after: end)...] : text[end...]
    // A name in brackets would be the address of the same name without them.
    guard !name.isEmpty, isLiteral == name.contains(":"),
      name.utf8.allSatisfy({
        (0x61...0x7a).contains($0) || (0x30...0x39).contains($0)
          || (isLiteral ? ":." : "-._").utf8.contains($0)
      })
    else { return nil }
    guard !rest.isEmpty else { return (String(name), nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits), port > 0
    else { return nil }
    return (String(name), port)
  }

  /// The scheme, host and port: two URLs with the same origin are on the same server.
  public var origin: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name)" + (port.map { ":\($0)" } ?? "")
  }

  /// The origin; one text for all hosts of one Microsoft cloud, which accept each other's tokens.
  package var server: String {
    guard scheme == "https", port == nil, CloudEnvironment.isKnownCloud(host) else { return origin }
    return "https://" + CloudEnvironment.canonical(host)
  }

  /// The URL's text.
  public var description: String { origin + path + (query.map { "?" + $0 } ?? "") }

  /// Whether the host is `localhost`, `::1`, or four decimal numbers that begin with 127: a request
  /// to it stays on the machine, so http is safe (RFC 8252 section 8.3).
  public var isLoopback: Bool {
    if host == "localhost" || host == "::1" { return true }
    // Resolvers disagree about every other spelling: 127.0.0.999 and 127.0.0.08 may be names, and
    // 127.0.0.010 may end in 8 or in 10 (RFC 6943 section 3.1.1).
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part).map(String.init) == String(part) }
  }

  /// Whether a token or a password may be sent to it: https, or http that stays on the machine.
  public var isConfidential: Bool { scheme == "https" || isLoopback }

  /// The path's segments, without empty ones.
  package var segments: [String] { path.split(separator: "/").map(String.init) }

  /// The URL with these parameters after its query.
  package func adding(_ parameters: FormParameters) -> HTTPURL {
    guard !parameters.isEmpty else { return self }
    var address = self
    let encoded = parameters.encoded
    address.query = query.map { $0.isEmpty ? encoded : $0 + "&" + encoded } ?? encoded
    return address
  }
}
