public import TokenVaultCrypto
public import TokenVaultModel

/// A token, and what it is good for.
public struct TokenResult: Sendable {
  /// The access token, or the stored secret of a service.
  public let accessToken: Redacted<[UInt8]>
  /// The token type of RFC 6749 section 5.1; empty for a plain secret.
  public let tokenType: String
  /// When it ends; nil for a plain secret.
  public let expiresOn: Timestamp?
  /// The scopes it was granted.
  public let scopes: ScopeSet
  /// Whose it is.
  public let account: Account
  /// The authority that issued it.
  public let authority: String
  /// Whether it was stored already.
  public var isFromCache: Bool
  /// Whether its end has passed, and it is given since the provider is down.
  public var isExtendedLifetime = false
  /// Whether the provider said that it should be asked for a new one by now.
  public let isRefreshDue: Bool
  /// The tenant that it is for.
  let realm: String
  /// Names the request in the provider's logs; empty where the provider was not asked.
  package var correlationID = ""
}
