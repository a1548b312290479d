/// A stored credential without its secret, in the fields of MSAL's unified schema.
package struct Credential: Hashable, Sendable {
  /// The types of credentials.
  package enum Kind: Hashable, Sendable {
    /// An access token.
    case accessToken
    /// A refresh token; with a `familyID` it serves every client of the family.
    case refreshToken
    /// An ID token.
    case idToken
    /// A password or personal access token of a service.
    case secret
    /// The key pair that a client's access tokens of the account are bound to (proof of possession).
    /// It is never returned and never exported.
    case proofKey
    /// A type of another SDK: kept and exported, but never returned as a token.
    case other(String)
  }

  /// The type of the credential.
  package var kind: Kind
  /// The client it was issued to; empty for a plain secret.
  package var clientID: String
  /// The host it was stored under (an alias of the account's environment).
  package var environment: String
  /// The tenant it is for; empty for refresh tokens.
  package var realm = ""
  /// Its scopes as stored; empty where the kind has none.
  package var target = ""
  /// The token type of RFC 6749 section 5.1; "Bearer" where the cache has none. For a secret, the form
  /// in which its service takes it; empty if the user named none.
  package var tokenType = ""
  /// When it was stored.
  package var cachedAt: Timestamp?
  /// When it expires.
  package var expiresOn: Timestamp?
  /// Until when it may be used while the provider is not available.
  package var extendedExpiresOn: Timestamp?
  /// When to start refreshing it although it is still valid.
  package var refreshOn: Timestamp?
  /// "1" for a refresh token of the Microsoft family of clients; empty for none.
  package var familyID = ""
  /// The key that an access token is bound to; empty for bearer tokens. For a credential of another
  /// type, a value that distinguishes it from others of that type.
  package var keyID = ""
  /// The claims request that an access token was issued for; empty for none.
  package var requestedClaims = ""
  /// Hash of the assertion of an on-behalf-of flow; empty for none.
  package var userAssertionHash = ""
  /// When the stored value last changed.
  package var lastModified: Timestamp?

  /// A credential of `kind` for `clientID`, stored under the host `environment`.
  package init(kind: Kind, clientID: String, environment: String) {
    self.kind = kind
    self.clientID = clientID
    self.environment = environment
  }

  /// Whether it is a refresh token that serves every client of a family.
  package var isFamilyRefreshToken: Bool { kind == .refreshToken && !familyID.isEmpty }

  /// The token type in lower case; "bearer" where none was stored.
  package var effectiveTokenType: String { tokenType.isEmpty ? "bearer" : tokenType.lowercased() }

  /// Whether storing this credential replaces `stored`.
  ///
  /// An access token replaces each one whose scopes intersect with its own for the same client,
  /// tenant and type (MSAL for iOS and macOS), so that a lookup never depends on which of two it finds.
  package func replaces(_ stored: Credential) -> Bool {
    guard kind == stored.kind, CloudEnvironment.same(environment, stored.environment),
      userAssertionHash == stored.userAssertionHash
    else { return false }
    let sameClient = CaseFolding.equal(clientID, stored.clientID)
    switch kind {
    case .accessToken:
      return sameClient && CaseFolding.equal(realm, stored.realm)
        && effectiveTokenType == stored.effectiveTokenType && keyID == stored.keyID
        && requestedClaims == stored.requestedClaims
        && (scopes.intersects(stored.scopes) || scopes == stored.scopes)
    case .refreshToken: return sameClient && familyID == stored.familyID
    case .idToken: return sameClient && CaseFolding.equal(realm, stored.realm)
    case .secret: return true
    case .proofKey: return sameClient
    case .other: return keyID == stored.keyID
    }
  }

  /// The scopes of `target`.
  package var scopes: ScopeSet { ScopeSet(target: target) }

  /// Whether an access token may be returned at `now`: not within `minimum` seconds of its expiry,
  /// and not stored in the future, which means that the clock was set back (MSAL treats it as
  /// expired).
  /// - Parameter minimum: nil for the default: 300, but at most a fifth of the token's
  ///   own lifetime, so that a token that lives for 5 minutes is served at all. A secret is served
  ///   until it expires.
  package func isValid(at now: Timestamp, for minimum: Int64?) -> Bool {
    if let cachedAt, cachedAt > now { return false }
    guard let expiresOn else { return kind == .secret }
    if kind == .secret { return now.advanced(by: minimum ?? 0) < expiresOn }
    return now.advanced(by: minimum ?? usualMinimumValidity(expiresOn)) < expiresOn
  }

  /// The number of seconds for which a token must remain valid unless a caller asks for another
  /// number, as in MSAL.
  private static let usualMinimum: Int64 = 300

  private func usualMinimumValidity(_ end: Timestamp) -> Int64 {
    guard let cachedAt, cachedAt < end else { return Self.usualMinimum }
    let (lifetime, overflow) = end.epochSeconds.subtractingReportingOverflow(cachedAt.epochSeconds)
    return overflow ? Self.usualMinimum : min(Self.usualMinimum, lifetime / 5)
  }
}
