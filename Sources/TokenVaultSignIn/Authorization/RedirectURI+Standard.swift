extension RedirectURI {
  /// The redirect URI that a provider expects of native applications. Microsoft's providers accept
  /// `http://localhost` with any port, and an address only where the registration lists it; others
  /// follow RFC 8252 section 7.3.
  package static func standard(of authority: Authority) throws(SignInError) -> RedirectURI {
    authority.isMicrosoft ? try RedirectURI("http://localhost") : .standard
  }
}
