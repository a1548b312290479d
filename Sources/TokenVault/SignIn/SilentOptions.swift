package import TokenVaultSignIn

/// The options of a silent request.
package struct SilentOptions: Sendable {
  /// The requesting application; nil for the command line, which acts as the stored client.
  package var application: ApplicationConfiguration?
  /// Whether an expired token may be served while the provider is down.
  package var extendedLifetime = false
  /// The claims to put into the new token.
  package var claims: ClaimsRequest?
  /// Whether the token is bound to a key (proof of possession).
  package var isBound = false
  /// The key to bind the token to, once it is known; nil for a bearer token.
  var proof: ProofOfPossession?
  /// Whether a stored token does not suffice even if it is valid.
  package var forceRefresh = false
  /// Further parameters for the token endpoint.
  package var extraParameters: [String: String] = [:]
  /// Identifies the request in the provider's logs; empty for a new UUID.
  package var correlationID = ""

  package init() {}

  var wantsNew: Bool { forceRefresh || !(claims?.isEmpty ?? true) }
}
