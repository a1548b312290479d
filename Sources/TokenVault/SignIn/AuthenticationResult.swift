public import TokenVaultSignIn
public import TokenVaultCrypto
public import TokenVaultModel

/// What a sign-in or a silent request gave (MSAL's MSALResult).
public struct AuthenticationResult: Sendable {
  /// The access token.
  public let accessToken: Redacted<String>
  /// `Bearer` or `Pop`.
  public let tokenType: String
  /// When the access token ends.
  public let expiresOn: Timestamp
  /// The scopes as granted; they may be more or fewer than asked for.
  public let scopes: ScopeSet
  /// The ID token of the account in the token's tenant; nil where none is stored.
  public let idToken: Redacted<String>?
  /// Who signed in.
  public let account: Account
  /// The account in the tenant that the token is for.
  public let tenantProfile: TenantProfile?
  /// The authority to name in later silent requests.
  public let authority: String
  /// Names the request in the provider's logs; empty where the provider was not asked.
  public let correlationID: String
  /// Whether the token was stored already.
  public let isFromCache: Bool
  /// Whether the token's end has passed, and it is given since the provider is down.
  public let isExtendedLifetime: Bool
  /// How the token is shown.
  public let authenticationScheme: AuthenticationScheme
  /// The value of the Authorization field: RFC 6750 section 2.1, or a signed request, which holds
  /// for a few minutes.
  public let authorizationHeader: Redacted<String>
}
