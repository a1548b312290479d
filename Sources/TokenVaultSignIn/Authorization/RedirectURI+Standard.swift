extension RedirectURI {
  /// The redirect URI that a provider expects of native applications. Microsoft's providers accept
  /// `http://localhost` with any port, and an address only where the registration lists it; others
  /// follow RFC 8252 section 7.3.
  package static func standard(of authority: Authority) -> RedirectURI {
    authority.isMicrosoft ? .loopback(.localhost, port: nil, path: "") : .standard
  }
}
