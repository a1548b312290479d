/// The redirect URI of a native app (RFC 8252 section 7).
public enum RedirectURI: Hashable, Sendable, CustomStringConvertible {
  /// A loopback host.
  public enum Loopback: String, Hashable, Sendable {
    /// `127.0.0.1`.
    case v4 = "127.0.0.1"
    /// `[::1]`.
    case v6 = "[::1]"
    /// `localhost`: the listener uses both addresses, because the browser may choose either.
    case localhost
  }

  /// An http URL on this machine. Without a port, each sign-in uses a free one.
  case loopback(Loopback, port: UInt16?, path: String)
  /// A private-use scheme (`msauth.com.example.app://auth`), registered with the desktop.
  case scheme(String, rest: String)

  /// `http://127.0.0.1:<random>/`, which most providers accept without registration.
  public static let standard = RedirectURI.loopback(.v4, port: nil, path: "/")

  /// Parses a redirect URI.
  /// - Throws: ``SignInError/invalidRedirectURI`` for an https URL, which no native app can
  ///   receive; a host other than this machine; a fragment or a query; and a scheme without a dot,
  ///   which would not be private (RFC 8252 section 7.1).
  public init(_ text: String) throws(SignInError) {
    if let address = HTTPURL(text) {
      guard address.scheme == "http", address.query == nil,
        let host = Loopback(rawValue: address.host == "::1" ? "[::1]" : address.host)
      else { throw .invalidRedirectURI }
      self = .loopback(host, port: address.port, path: address.path)
      return
    }
    let scheme = text.prefix { $0 != ":" }
    let rest = text.dropFirst(scheme.count + 1)
    guard text.utf8.count <= 512, scheme.contains("."), !rest.isEmpty,
      scheme.utf8.first.map({ (0x61...0x7a).contains($0 | 0x20) }) == true,
      scheme.utf8.allSatisfy({
        (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
      }),
      rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
      !rest.contains(where: { "#?\"'\\<>%".contains($0) })
    else { throw .invalidRedirectURI }
    self = .scheme(scheme.lowercased(), rest: String(rest))
  }

  /// The URI's text. A loopback URI without a port gets one when the listener starts.
  public var description: String {
    switch self {
    case .loopback(let host, let port, let path):
      "http://\(host.rawValue)" + (port.map { ":\($0)" } ?? "") + path
    case .scheme(let scheme, let rest): "\(scheme):\(rest)"
    }
  }
}
