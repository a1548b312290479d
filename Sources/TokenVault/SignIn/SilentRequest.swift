public import TokenVaultModel
public import TokenVaultSignIn

/// A request without the user (MSAL's MSALSilentTokenParameters).
public struct SilentRequest: Hashable, Sendable {
  /// The scopes the token must have.
  public var scopes: ScopeSet
  /// Whose token it is.
  public var account: Account
  /// Whether a stored token will not do.
  public var forceRefresh = false
  /// What should be in the token; a request with claims is never answered from the cache.
  public var claims: ClaimsRequest?
  /// Another authority than the application's.
  public var authority: Authority?
  /// How the token is going to be shown.
  public var authenticationScheme = AuthenticationScheme.bearer
  /// Further parameters for the token endpoint; none may replace one of the protocol's.
  public var extraParameters: [String: String] = [:]
  /// Names the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for scopes of an account.
  public init(scopes: ScopeSet, account: Account) {
    self.scopes = scopes
    self.account = account
  }
}
