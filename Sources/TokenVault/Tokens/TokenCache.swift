import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel

/// Serves the tokens that are stored in a group.
package struct TokenCache {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }
  private var now: Timestamp { session.now }

  package init(_ session: GroupSession) { self.session = session }

  /// A stored token of an account that satisfies the request.
  /// - Throws: ``VaultError/interactionRequired(_:account:group:)`` with the reason if no stored
  ///   token satisfies the request.
  package func token(
    _ request: TokenRequest, of reference: AccountReference
  ) throws(VaultError) -> TokenResult {
    try session.read { transaction in
      let stored = try self.lookup.stored(reference, in: transaction)
      return try self.token(request, of: stored, in: transaction)
    }
  }

  func token(
    _ request: TokenRequest, of stored: StoredAccount, in transaction: GroupTransaction
  ) throws -> TokenResult {
    let account = lookup.account(stored, in: transaction)
    func needed(_ reason: InteractionReason) -> VaultError {
      .interactionRequired(reason, account: account, group: session.group)
    }
    guard !request.needsNewToken else { throw needed(.newTokenRequested) }
    let candidates = try candidates(request, of: stored, account: account)
    guard
      let best = candidates.filter({
        $0.credential.isValid(at: now, for: request.minimumValidity)
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
      tokenType: credential.tokenType.isEmpty && credential.kind != .secret
        ? "Bearer" : credential.tokenType,
      expiresOn: credential.expiresOn.flatMap { $0.isNever ? nil : $0 },
      scopes: credential.kind == .secret ? ScopeSet([]) : credential.scopes, account: account,
      authority: stored.record.authorities[CaseFolding.key(credential.clientID)]
        ?? Self.authority(of: credential),
      isFromCache: true, isRefreshDue: credential.refreshOn.map { $0 <= now } ?? false,
      realm: credential.realm, keyID: credential.keyID, credential: credential)
  }

  /// The stored tokens that satisfy a request in every respect except time.
  func candidates(
    _ request: TokenRequest, of stored: StoredAccount, account: Account
  ) throws -> [AccountRecord.StoredCredential] {
    func needed(_ reason: InteractionReason) -> VaultError {
      .interactionRequired(reason, account: account, group: session.group)
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
    // Without a home tenant, no tenant is preferable to another.
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
  /// Only plain secrets and bearer tokens are served, and to the holder of a key the tokens bound
  /// to that key. A token bound to another key or to another user's assertion is useless to this
  /// caller, and a token with requested claims was made for a request that named them.
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
    case .refreshToken, .idToken, .proofKey, .other: return false
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

  /// Matches the account's home tenant, unless the request names another. If the home tenant is not
  /// a tenant of Microsoft Entra (B2C, other providers), neither is the realm of a token.
  fileprivate func accepts(realm: String, of account: Account) -> Bool {
    let tenant = account.homeAccountID.tenant(ofRealm: realm)
    if let tenantID { return CaseFolding.equal(tenantID, tenant) }
    guard account.authorityType == .entra else { return true }
    return CaseFolding.equal(tenant, account.homeAccountID.tenantID)
      || account.homeAccountID.tenantID.isEmpty
  }
}
