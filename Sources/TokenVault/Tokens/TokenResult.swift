public import TokenVaultCrypto
public import TokenVaultModel
public import TokenVaultSignIn

/// A token and its properties (MSAL's MSALResult).
public struct TokenResult: Sendable {
  /// The access token, or the stored secret of a service: `reveal()` returns its bytes,
  /// `revealText()` its text.
  public internal(set) var accessToken: Redacted<[UInt8]>
  /// The token type (RFC 6749 section 5.1), `Bearer` or `Pop`. For a stored secret, `Basic` or
  /// `Bearer` if it was stored with that form, otherwise empty.
  public let tokenType: String
  /// The time at which the token expires; nil for a token that does not expire, and for a stored
  /// secret without an expiry.
  public let expiresOn: Timestamp?
  /// The granted scopes, which may be more or fewer than the requested ones.
  public let scopes: ScopeSet
  /// The account that the token belongs to.
  public let account: Account
  /// The authority that issued the token; use it in later silent requests.
  public let authority: String
  /// Whether the token was already stored.
  public internal(set) var isFromCache: Bool
  /// Whether the token has expired and is returned because the provider is down.
  public internal(set) var isExtendedLifetime = false
  /// Whether the time has come at which the provider wants the token to be refreshed.
  public let isRefreshDue: Bool
  /// The tenant that the token is for.
  package let realm: String
  /// The key that the token is bound to; empty for a bearer token.
  let keyID: String
  /// Whether this is the result of a sign-in, and the group already had the account.
  package internal(set) var isSignedInAgain = false
  /// Identifies the request in the provider's logs; empty if the provider was not contacted.
  public internal(set) var correlationID = ""
  /// The ID token of the account in the token's tenant; nil if none is stored. It is also nil in
  /// the results of ``Vault``, which do not read it.
  public internal(set) var idToken: Redacted<String>?
  /// The scheme in which the token is presented to APIs.
  public internal(set) var authenticationScheme = AuthenticationScheme.bearer
  /// The stored credential of a token from the cache, until it is returned to the caller.
  var credential: Credential?
  /// The signed request that presents a token bound to a key.
  var signedHeader: Redacted<String>?

  /// The value of the Authorization field: `Bearer` with the token (RFC 6750 section 2.1), or a
  /// signed request, which is valid for a few minutes. It is `Basic` (RFC 7617) for a secret that was
  /// stored with that form.
  public var authorizationHeader: Redacted<String> {
    if let signedHeader { return signedHeader }
    let form = ServiceAuthentication(scheme: tokenType)
    if account.authorityType == .secret, form == .basic,
      let header = form?.header(username: account.username, accessToken)
    {
      return header
    }
    return Redacted("Bearer \(accessToken.revealText())")
  }

  /// Whether this is a stored secret that is a refresh token, which is never sent.
  package var isRefreshToken: Bool {
    account.authorityType == .secret && tokenType == ServiceSecrets.refreshTokenType
  }

  /// The account's profile in the tenant that the token is for; nil if none is stored.
  public var tenantProfile: TenantProfile? {
    let tenant = account.homeAccountID.tenant(ofRealm: realm)
    return account.tenantProfiles.first { CaseFolding.equal($0.tenantID, tenant) }
  }
}
