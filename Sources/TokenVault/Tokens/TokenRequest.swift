public import TokenVaultModel
public import TokenVaultSignIn

/// Which token is asked for.
public struct TokenRequest: Hashable, Sendable {
  /// The scopes the token must have. Empty only where the account has a single token or is a
  /// plain secret.
  public var scopes: ScopeSet
  /// A resource (`https://graph.microsoft.com`) in the place of scopes.
  public var resource: String?
  /// The client it must have been issued to; nil for any of the group's.
  public var clientID: String?
  /// The tenant it must be for; nil for the account's home tenant.
  public var tenantID: String?
  /// For how many seconds it must still be valid; MSAL's default is 300.
  public var minimumValidity: Int64
  /// Whether a stored token will not do: a claims request or a forced refresh.
  public var needsNewToken: Bool
  /// The key that it must be bound to; empty for a bearer token.
  package var keyID = ""
  /// Who should issue it; nil for who signed the account in.
  public var authority: Authority?

  /// A request with the parts given.
  public init(
    scopes: ScopeSet, resource: String? = nil, clientID: String? = nil, tenantID: String? = nil,
    minimumValidity: Int64 = 300, needsNewToken: Bool = false
  ) {
    self.scopes = scopes
    self.resource = resource
    self.clientID = clientID
    self.tenantID = tenantID
    self.minimumValidity = minimumValidity
    self.needsNewToken = needsNewToken
  }
}
