package import TokenVaultSignIn

/// What a silent request may fall back on.
package struct SilentOptions: Sendable {
  /// The application that asks; nil for the command line, which takes the stored client's part.
  package var application: ApplicationConfiguration?
  /// Whether a token may be served beyond its end while the provider is down.
  package var extendedLifetime = false
  /// What the new token should have in it.
  package var claims: ClaimsRequest?
  /// The key that the token is to be bound to; nil for a bearer token.
  package var proof: ProofOfPossession?
  /// Whether a stored token will not do, also when it is valid.
  package var forceRefresh = false
  /// Further parameters for the token endpoint.
  package var extraParameters: [String: String] = [:]
  /// Names the request in the provider's logs; empty for a new UUID.
  package var correlationID = ""

  package init() {}

  var wantsNew: Bool { forceRefresh || !(claims?.isEmpty ?? true) }
}
