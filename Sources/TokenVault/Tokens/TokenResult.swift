public import TokenVaultCrypto
public import TokenVaultModel
public import TokenVaultSignIn

/// A token, and what it is good for (MSAL's MSALResult).
public struct TokenResult: Sendable {
  /// The access token, or the stored secret of a service: `reveal()` gives its bytes,
  /// `revealText()` its text.
  public let accessToken: Redacted<[UInt8]>
  /// The token type of RFC 6749 section 5.1, `Bearer` or `Pop`; empty for a plain secret.
  public let tokenType: String
  /// When the access token ends; nil for a plain secret.
  public let expiresOn: Timestamp?
  /// The scopes as granted; they may be more or fewer than asked for.
  public let scopes: ScopeSet
  /// Whose it is.
  public let account: Account
  /// The authority that issued it; name it in later silent requests.
  public let authority: String
  /// Whether it was stored already.
  public internal(set) var isFromCache: Bool
  /// Whether its end has passed, and it is given since the provider is down.
  public internal(set) var isExtendedLifetime = false
  /// Whether the provider said that it should be asked for a new one by now.
  public let isRefreshDue: Bool
  /// The tenant that it is for.
  let realm: String
  /// Names the request in the provider's logs; empty where the provider was not asked.
  public internal(set) var correlationID = ""
  /// The ID token of the account in the token's tenant. Nil where none is stored, and in the results
  /// of ``Vault``, which do not read it.
  public internal(set) var idToken: Redacted<String>?
  /// How the token is shown.
  public internal(set) var authenticationScheme = AuthenticationScheme.bearer
  /// The signed request of a token that is bound to a key.
  var signedHeader: Redacted<String>?

  /// The value of the Authorization field: `Bearer` with the token (RFC 6750 section 2.1), or a
  /// signed request, which holds for a few minutes. Some services want their stored secret as
  /// `Basic` instead.
  public var authorizationHeader: Redacted<String> {
    signedHeader ?? Redacted("Bearer \(accessToken.revealText())")
  }

  /// The account in the tenant that the token is for.
  public var tenantProfile: TenantProfile? {
    let tenant = account.homeAccountID.tenant(ofRealm: realm)
    return account.tenantProfiles.first { CaseFolding.equal($0.tenantID, tenant) }
  }
}
