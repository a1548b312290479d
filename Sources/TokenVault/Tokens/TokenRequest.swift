public import TokenVaultModel
public import TokenVaultSignIn

/// The properties that a token must have.
public struct TokenRequest: Hashable, Sendable {
  /// The scopes that the token must have. They may be empty only if the account has a single token
  /// or is a plain secret.
  public var scopes: ScopeSet
  /// A resource (`https://graph.microsoft.com`) instead of scopes.
  public var resource: String?
  /// The client that the token must have been issued to; nil for any client of the group.
  public var clientID: String?
  /// The tenant that the token must be for; nil for the account's home tenant.
  public var tenantID: String?
  /// The number of seconds that the token must still be valid. Nil for the default: 300 as in MSAL,
  /// but at most a fifth of the token's own lifetime.
  public var minimumValidity: Int64?
  /// Whether a stored token does not suffice, because of a claims request or a forced refresh.
  public var needsNewToken: Bool
  /// The id of the key that the token must be bound to; empty for a bearer token.
  package var keyID = ""
  /// The authority that should issue the token; nil for the one that signed the account in.
  public var authority: Authority?

  /// A request with the given properties.
  public init(
    scopes: ScopeSet, resource: String? = nil, clientID: String? = nil, tenantID: String? = nil,
    minimumValidity: Int64? = nil, needsNewToken: Bool = false
  ) {
    self.scopes = scopes
    self.resource = resource
    self.clientID = clientID
    self.tenantID = tenantID
    self.minimumValidity = minimumValidity
    self.needsNewToken = needsNewToken
  }
}
