/// Receives the browser's redirect at the end of a sign-in (RFC 8252 section 7).
public protocol RedirectReceiving: Sendable {
  /// Starts to listen for a redirect URI, before the browser opens.
  /// - Throws: ``SignInError/sessionAlreadyRunning`` if another process listens for the same custom
  ///   scheme; ``SignInError/redirectUnavailable(_:)``.
  func listen(for uri: RedirectURI) throws(SignInError) -> any RedirectListener
}
