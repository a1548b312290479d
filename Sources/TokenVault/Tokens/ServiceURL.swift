/// Where a password or personal access token is for: an origin and a path, without the user.
public struct ServiceURL: Hashable, Sendable, CustomStringConvertible {
  /// The normalised URL: scheme and host in lower case, no trailing slash.
  public let description: String
  /// The host, with its port where one is given.
  public let host: String

  /// Returns nil for what is no absolute http or https URL with a host, or has user information,
  /// a query, a fragment, spaces, control or other characters outside of ASCII (a host beyond it
  /// has to be in its `xn--` form, so that two that look alike are not one).
  public init?(_ text: String) {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
      return nil
    }
    // A bare host means https, as git and docker take it.
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
  /// A URL that the programmer wrote. A literal that ``init(_:)`` refuses is a programming error and
  /// stops the program.
  public init(stringLiteral text: String) {
    guard let url = ServiceURL.init(text) else {
      preconditionFailure("\"\(text)\" is no URL of a service")
    }
    self = url
  }
}
