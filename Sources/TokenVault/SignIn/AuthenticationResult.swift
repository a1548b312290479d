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

/// How a token is going to be shown, with the key where there is one.
enum TokenPresentation: Sendable {
  case bearer
  case pop(ProofOfPossession, ProofOfPossession.Request)

  var proof: ProofOfPossession? { if case .pop(let proof, _) = self { proof } else { nil } }

  var scheme: AuthenticationScheme {
    if case .pop(_, let request) = self { .pop(request) } else { .bearer }
  }

  func header(_ token: Redacted<String>, now: Timestamp) throws(SignInError) -> Redacted<String> {
    guard case .pop(let proof, let request) = self else {
      return Redacted("Bearer \(token.reveal())")
    }
    do { return try proof.authorizationHeader(token, for: request, now: now) } catch {
      throw .cryptography
    }
  }
}

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

/// How an account is signed out (MSAL's MSALSignoutParameters).
public struct SignOutParameters: Hashable, Sendable {
  /// Whether the provider's session in the browser is ended too.
  public var signOutFromBrowser = false
  /// Whether the account goes for every tool of the group, and not just for this application.
  public var wipeAccount = false
  /// Whether every account of the group goes.
  public var wipeCacheForAllAccounts = false
  /// Whether the provider is told (RFC 7009).
  public var revokes = true
  /// Further parameters for the provider's page.
  public var extraParameters: [String: String] = [:]

  /// This application's tokens only, and not the browser's session.
  public init() {}
}
