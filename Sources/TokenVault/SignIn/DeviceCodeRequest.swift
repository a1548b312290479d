public import TokenVaultModel
public import TokenVaultSignIn

/// A request to sign in on another device (RFC 8628).
public struct DeviceCodeRequest: Hashable, Sendable {
  /// The scopes that the token must have.
  public var scopes: ScopeSet
  /// The claims to put into the tokens.
  public var claims: ClaimsRequest?
  /// The scheme in which the token is presented to APIs.
  public var authenticationScheme = AuthenticationScheme.bearer
  /// Further parameters for the provider. They cannot replace a parameter of the protocol.
  public var extraParameters: [String: String] = [:]
  /// Identifies the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for scopes.
  public init(scopes: ScopeSet) { self.scopes = scopes }
}
