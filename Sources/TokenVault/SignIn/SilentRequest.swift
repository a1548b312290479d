public import TokenVaultModel
public import TokenVaultSignIn

/// A request for a token without user interaction (MSAL's MSALSilentTokenParameters).
public struct SilentRequest: Hashable, Sendable {
  /// The scopes that the token must have.
  public var scopes: ScopeSet
  /// The account whose token is requested.
  public var account: Account
  /// Whether a stored token does not suffice.
  public var forceRefresh = false
  /// The claims to put into the token. A request with claims is never served from the cache.
  public var claims: ClaimsRequest?
  /// An authority to use instead of the application's.
  public var authority: Authority?
  /// The scheme in which the token is presented to APIs.
  public var authenticationScheme = AuthenticationScheme.bearer
  /// Further parameters for the token endpoint. They cannot replace a parameter of the protocol.
  public var extraParameters: [String: String] = [:]
  /// Identifies the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for a token of an account with the given scopes.
  public init(scopes: ScopeSet, account: Account) {
    self.scopes = scopes
    self.account = account
  }

  /// Whether a stored bearer token satisfies the request.
  var isForStoredToken: Bool {
    !forceRefresh && claims == nil && authenticationScheme == .bearer
  }
}
