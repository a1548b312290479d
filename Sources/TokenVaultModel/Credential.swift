/// Everything about a stored credential but its secret, in the fields of MSAL's unified schema.
public struct Credential: Hashable, Sendable {
  /// What the credential is.
  public enum Kind: Hashable, Sendable {
    /// An access token.
    case accessToken
    /// A refresh token; with a `familyID` it serves every client of the family.
    case refreshToken
    /// An ID token.
    case idToken
    /// A password or personal access token of a service.
    case secret
    /// A credential type of another SDK, kept and given back but never served.
    case other(String)
  }

  /// What the credential is.
  public var kind: Kind
  /// The client it was issued to; empty for a plain secret.
  public var clientID: String
  /// The host it was stored under (an alias of the account's environment).
  public var environment: String
  /// The tenant it is for; empty for refresh tokens.
  public var realm = ""
  /// Its scopes as stored; empty where the kind has none.
  public var target = ""
  /// The token type of RFC 6749 section 5.1; "Bearer" where the cache said nothing.
  public var tokenType = ""
  /// When it was stored.
  public var cachedAt: Timestamp?
  /// When it stops being valid.
  public var expiresOn: Timestamp?
  /// Until when it may be used while the provider is down.
  public var extendedExpiresOn: Timestamp?
  /// From when on a refresh should be tried while it is still valid.
  public var refreshOn: Timestamp?
  /// "1" for a refresh token of the Microsoft family of clients.
  public var familyID = ""
  /// The key that an access token is bound to; empty for bearer tokens. For a credential of another
  /// type, whatever tells it from others of its type.
  public var keyID = ""
  /// The claims request an access token answered; empty for none.
  public var requestedClaims = ""
  /// Hash of the assertion of an on-behalf-of flow; empty for none.
  public var userAssertionHash = ""
  /// When the stored value last changed.
  public var lastModified: Timestamp?

  /// A credential of `kind` for `clientID`, stored under the host `environment`.
  public init(kind: Kind, clientID: String, environment: String) {
    self.kind = kind
    self.clientID = clientID
    self.environment = environment
  }

  /// The token type compared in lower case, Bearer where none was stored.
  public var effectiveTokenType: String { tokenType.isEmpty ? "bearer" : tokenType.lowercased() }

  /// Whether storing this credential takes the place of `stored`.
  ///
  /// An access token replaces each one whose scopes intersect with its own for the same client,
  /// tenant and type (MSAL for iOS and macOS), so that no answer depends on which of two is found.
  public func replaces(_ stored: Credential) -> Bool {
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
    case .other: return keyID == stored.keyID
    }
  }

  /// The scopes of `target`.
  public var scopes: ScopeSet { ScopeSet(target: target) }

  /// Whether an access token may be served at `now`: not within `skew` seconds of its end, and not
  /// stored in the future, which tells of a clock that was set back (MSAL treats it as expired).
  public func isValid(at now: Timestamp, skew: Int64) -> Bool {
    if let cachedAt, cachedAt > now { return false }
    guard let expiresOn else { return kind == .secret }
    return now.advanced(by: skew) < expiresOn
  }
}
