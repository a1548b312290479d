package import TokenVaultSignIn

/// The address of the service that a password or personal access token is for: an origin and a
/// path, without the user.
public struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
  /// The normalised URL: scheme and host in lower case, no default port, no trailing slash.
  public let description: String
  /// The host, with its port if the URL has one that is not the default.
  public let host: String

  /// Parses a URL; a host without a scheme gets https. Returns nil unless the text is an absolute
  /// http or https URL of at most 2048 bytes with a host, and without user information, query,
  /// fragment, spaces, control characters or characters outside of ASCII. An internationalised host
  /// has to be in its `xn--` form, so that two hosts that look alike are never mistaken for one.
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    // A bare host means https, as for git and docker.
    let isBare = !text.contains("://")
    let scheme = isBare ? "https" : text.prefix { $0 != ":" }.lowercased()
    let rest = isBare ? text[...] : text.dropFirst(scheme.count + 3)
    let end = rest.firstIndex(of: "/") ?? rest.endIndex
    var host = rest[..<end].lowercased()
    let usual = scheme == "http" ? ":80" : ":443"
    if host.hasSuffix(usual) { host.removeLast(usual.count) }
    var path = String(rest[end...])
    while path.hasSuffix("/") { path.removeLast() }
    guard ["http", "https"].contains(scheme), HTTPURL.hostAndPort(host) != nil,
      !rest.contains(where: { "?#\\\"<>".contains($0) })
    else { return nil }
    self.host = host
    description = "\(scheme)://\(host)\(path)"
  }
}

extension ServiceURL: ExpressibleByStringLiteral {
  /// A URL in the source code of a program. A literal that ``init(_:)`` refuses is a programming
  /// error and stops the program.
  public init(stringLiteral text: String) {
    guard let url = ServiceURL.init(text) else {
      preconditionFailure("\"\(text)\" is no URL of a service")
    }
    self = url
  }
}

extension ServiceURL {
  /// The service at an address; nil if the address has a query.
  package init?(_ address: HTTPURL) {
    guard address.query == nil else { return nil }
    self.init(address.description)
  }

  /// Whether a request to the address goes to this service: scheme, host and port are the same text,
  /// and the path is that of the service or below it.
  ///
  /// A server may decode and resolve a path in several steps. Below a service with a path, an address
  /// that could leave it in one of these steps is not covered.
  package func covers(_ address: HTTPURL) -> Bool {
    guard let own = HTTPURL(description), own.query == nil, address.origin == own.origin else {
      return false
    }
    guard !own.path.isEmpty else { return true }
    guard address.path == own.path || address.path.hasPrefix(own.path + "/") else { return false }
    return !Self.canAscend(address.path)
  }

  /// Whether a segment is `.` or `..` after any number of decodings, with or without a parameter.
  private static func canAscend(_ path: String) -> Bool {
    var bytes = Array(path.utf8)
    while true {
      let segments = bytes.split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
      let names = segments.map { $0.prefix { $0 != UInt8(ascii: ";") } }
      if names.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }) {
        return true
      }
      let decoded = decodedOnce(bytes)
      if decoded == bytes { return false }
      bytes = decoded
    }
  }

  private static func decodedOnce(_ bytes: [UInt8]) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), rest.count >= 2,
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        decoded.append(value)
        rest = rest.dropFirst(2)
      } else {
        decoded.append(byte)
      }
    }
    return decoded
  }
}
