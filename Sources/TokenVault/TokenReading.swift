package import TokenVaultGroupStore
public import TokenVaultSignIn
public import TokenVaultCrypto
public import TokenVaultModel

/// Which token is asked for.
public struct TokenRequest: Hashable, Sendable {
  /// The scopes the token must have. Empty only where the account has a single token or is a
  /// plain secret.
  public var scopes: ScopeSet
  /// A resource (`https://graph.microsoft.com`) in the place of scopes.
  public var resource: String?
  /// The client it must have been issued to; nil for any of the group's.
  public var clientID: String?
  /// The tenant it must be for; nil for the account's home tenant.
  public var tenantID: String?
  /// For how many seconds it must still be valid; MSAL's default is 300.
  public var minimumValidity: Int64
  /// Whether a stored token will not do: a claims request or a forced refresh.
  public var needsNewToken: Bool
  /// The key that it must be bound to; empty for a bearer token.
  package var keyID = ""
  /// Who should issue it; nil for who signed the account in.
  public var authority: Authority?

  /// A request with the parts given.
  public init(
    scopes: ScopeSet, resource: String? = nil, clientID: String? = nil, tenantID: String? = nil,
    minimumValidity: Int64 = 300, needsNewToken: Bool = false
  ) {
    self.scopes = scopes
    self.resource = resource
    self.clientID = clientID
    self.tenantID = tenantID
    self.minimumValidity = minimumValidity
    self.needsNewToken = needsNewToken
  }
}

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

extension VaultCore {
  /// A stored token of an account (nil: the current one), if one fulfils the request.
  package func token(
    _ request: TokenRequest, account: String?
  ) throws(VaultError) -> TokenResult {
    try read { transaction in
      let stored =
        try account.map { try self.resolve($0, in: transaction) }
        ?? self.current(in: transaction)
      return try self.token(request, of: stored, in: transaction)
    }
  }

  /// A stored token of an account, if one fulfils the request.
  package func token(
    _ request: TokenRequest, of stored: StoredAccount, in transaction: GroupTransaction
  ) throws -> TokenResult {
    let account = account(stored, in: transaction)
    func needed(_ reason: InteractionReason) -> VaultError {
      .interactionRequired(reason, account: account, group: group)
    }
    guard !request.needsNewToken else { throw needed(.newTokenRequested) }
    let candidates = try candidates(request, of: stored, account: account)
    guard
      let best = candidates.filter({
        $0.credential.isValid(at: now, skew: request.minimumValidity)
      }).max(by: { ($0.credential.expiresOn ?? now) < ($1.credential.expiresOn ?? now) })
    else {
      throw needed(.expired(candidates.compactMap(\.credential.expiresOn).max()))
    }
    return try result(best, of: stored, account: account, in: transaction)
  }

  /// A stored token with its secret.
  func result(
    _ entry: AccountRecord.StoredCredential, of stored: StoredAccount, account: Account,
    in transaction: GroupTransaction
  ) throws -> TokenResult {
    let credential = entry.credential
    return TokenResult(
      accessToken: try transaction.payload(of: entry, in: stored).secret,
      tokenType: credential.kind == .secret
        ? "" : credential.tokenType.isEmpty ? "Bearer" : credential.tokenType,
      expiresOn: credential.expiresOn, scopes: credential.scopes, account: account,
      authority: stored.record.authorities[CaseFolding.key(credential.clientID)]
        ?? Self.authority(of: credential),
      isFromCache: true, isRefreshDue: credential.refreshOn.map { $0 <= now } ?? false,
      realm: credential.realm)
  }

  /// The stored tokens that fit a request in all but time.
  func candidates(
    _ request: TokenRequest, of stored: StoredAccount, account: Account
  ) throws -> [AccountRecord.StoredCredential] {
    func needed(_ reason: InteractionReason) -> VaultError {
      .interactionRequired(reason, account: account, group: group)
    }
    if let client = request.clientID,
      stored.record.clients[CaseFolding.key(client)] == .signedOut
    {
      throw needed(.signedOut)
    }
    let usable = stored.record.stored.filter { entry in
      entry.credential.isServable(to: request, signedOut: stored.record.clients)
        && request.accepts(entry.credential, of: account)
    }
    guard !usable.isEmpty else { throw needed(.noToken) }
    let inTenant = usable.filter {
      request.accepts(realm: $0.credential.realm, of: account)
    }
    guard !inTenant.isEmpty else {
      throw needed(.otherTenant(Set(usable.map(\.credential.realm)).sorted()))
    }
    // Without a home tenant none of several is the right one.
    let tenants = Set(inTenant.map { CaseFolding.key($0.credential.realm) })
    if request.tenantID == nil, account.authorityType == .entra,
      account.homeAccountID.tenantID.isEmpty, tenants.count > 1
    {
      throw needed(.otherTenant(tenants.sorted()))
    }
    let targets = Set(inTenant.map { $0.credential.scopes })
    if request.scopes.isEmpty, request.resource == nil, targets.count > 1 {
      throw VaultError.scopesRequired(stored: targets.map(\.description).sorted(), account: account)
    }
    return inTenant
  }

  private static func authority(of credential: Credential) -> String {
    guard credential.kind != .secret else { return credential.target }
    let base = "https://\(credential.environment)"
    return credential.realm.isEmpty ? base : "\(base)/\(credential.realm)"
  }
}

extension Credential {
  /// Only bearer tokens and plain secrets are served, and to the holder of a key the tokens that are
  /// bound to it: one of another key or of another user's assertion is of no use to who asks here,
  /// and one for a claims request was asked for by name.
  fileprivate func isServable(
    to request: TokenRequest, signedOut: [String: AccountRecord.SignInState]
  ) -> Bool {
    switch kind {
    case .secret: return request.keyID.isEmpty
    case .accessToken:
      guard effectiveTokenType == (request.keyID.isEmpty ? "bearer" : "pop"),
        keyID == request.keyID, userAssertionHash.isEmpty, requestedClaims.isEmpty
      else { return false }
      if let client = request.clientID { return CaseFolding.equal(client, clientID) }
      return signedOut[CaseFolding.key(clientID)] != .signedOut
    case .refreshToken, .idToken, .other: return false
    }
  }
}

extension TokenRequest {
  fileprivate func accepts(_ credential: Credential, of account: Account) -> Bool {
    if credential.kind == .secret { return scopes.isEmpty && resource == nil }
    if let resource {
      return credential.scopes.cover(resource: resource, isEntra: account.authorityType == .entra)
    }
    return scopes.isSubset(of: credential.scopes)
  }

  /// The account's home tenant, unless another is asked for. Where the home tenant is no tenant
  /// of Microsoft Entra (B2C, other providers), a token's realm is not one either.
  fileprivate func accepts(realm: String, of account: Account) -> Bool {
    let tenant = account.homeAccountID.tenant(ofRealm: realm)
    if let tenantID { return CaseFolding.equal(tenantID, tenant) }
    guard account.authorityType == .entra else { return true }
    return CaseFolding.equal(tenant, account.homeAccountID.tenantID)
      || account.homeAccountID.tenantID.isEmpty
  }
}

extension ScopeSet {
  private static let graph = "https://graph.microsoft.com"
  private static let ofSignIn: Set<String> = ["openid", "profile", "email", "offline_access"]

  /// Whether a token with these scopes is for `resource`. Microsoft Entra grants Microsoft Graph's
  /// scopes without their resource in front; another provider's bare scopes are its own.
  func cover(resource: String, isEntra: Bool) -> Bool {
    let resource = resource.hasSuffix("/") ? String(resource.dropLast()) : resource
    let folded = resource.lowercased()
    return scopes.contains { scope in
      let scope = scope.lowercased()
      if scope.hasPrefix(folded + "/") { return true }
      return isEntra && folded == Self.graph && !scope.contains("/")
        && !Self.ofSignIn.contains(scope)
    }
  }
}
