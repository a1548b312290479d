public import TokenVaultModel
public import TokenVaultSignIn

/// A sign-in on another device (RFC 8628).
public struct DeviceCodeRequest: Hashable, Sendable {
  /// The scopes the token must have.
  public var scopes: ScopeSet
  /// What should be in the tokens.
  public var claims: ClaimsRequest?
  /// Further parameters for the provider; none may replace one of the protocol's.
  public var extraParameters: [String: String] = [:]
  /// Names the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for scopes.
  public init(scopes: ScopeSet) { self.scopes = scopes }
}
