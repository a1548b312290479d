import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// Stores the responses of providers. Verified tokens replace old ones in one durable transaction.
struct SignInStorage {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }
  private var now: Timestamp { session.now }
  private var rules: AccountRules {
    AccountRules(vaultDirectory: session.configuration.directory)
  }

  init(_ session: GroupSession) { self.session = session }

  /// The result of storing a response.
  enum StoredAnswer {
    case stored(TokenResult)
    /// The refresh token that was sent is no longer the stored one.
    case superseded
    /// The account, or this client's part of it, was signed out. The refresh token is still stored
    /// if the other clients of its family use it.
    case gone(isTokenStored: Bool)
  }

  /// The result of storing a new refresh token.
  enum KeptToken {
    case kept
    /// The refresh token that was sent is no longer the stored one: the user signed in again.
    case superseded
    /// The account, or this client's part of it, was signed out.
    case gone
  }

  /// Stores the response to a refresh in one transaction, if the group still has `held`: the new
  /// refresh token, or the one that was sent if the response has none.
  func replaceTokens(
    _ validated: ValidatedTokens, for plan: SilentPlan.Refresh, held: Redacted<String>
  ) throws(VaultError) -> StoredAnswer {
    try session.write { transaction in
      guard var stored = try transaction.account(of: plan.account)
      else { return .gone(isTokenStored: false) }
      let isHeld = try transaction.holds(held, in: stored)
      guard stored.record.clients[CaseFolding.key(plan.clientID)] != .signedOut else {
        return .gone(isTokenStored: isHeld)
      }
      guard isHeld else { return .superseded }
      if validated.answer.refreshToken != nil {
        try transaction.removeRefreshToken(held, from: &stored)
      }
      // The user may have completed the step that the provider required in another program. The
      // provider's own rate limits stay in force.
      stored.record.throttleEntries.removeAll { $0.code != Throttle.outage }
      return .stored(try self.write(validated, into: &stored, transaction))
    }
  }

  /// Stores a new refresh token, durably, in the place of the one that was sent.
  ///
  /// A provider that rotates refresh tokens invalidated the old one with its response. Whatever
  /// happens to the rest of the response (a kill, keys that cannot be fetched, a clock that is off),
  /// the account is lost without the new token, and sending the old one again looks like theft (RFC
  /// 9700 section 4.14.2). From here on it is the account's refresh token: an export contains it, a
  /// sign-out erases and revokes it, and the next refresh sends it. Nothing else of the response is
  /// stored or served before it is verified.
  func keepRefreshToken(
    _ token: Redacted<String>, of account: Account, client: String, sent: Redacted<String>
  ) throws(VaultError) -> KeptToken {
    let now = session.now
    return try session.withGroup { group in
      try group.write { transaction in
        guard var stored = try transaction.account(of: account) else {
          return .gone
        }
        let entries = try transaction.entries(with: sent, in: stored)
        guard !entries.isEmpty else {
          // A commit that reported an error may be in force nevertheless.
          if try transaction.holds(token, in: stored) { return .kept }
          return stored.record.clients[CaseFolding.key(client)] == .signedOut ? .gone : .superseded
        }
        for var credential in entries {
          let issuer = stored.record.stored.first { $0.credential == credential }
            .map(stored.record.issuer(of:))
          credential.lastModified = now
          try transaction.store(
            credential, CredentialPayload(secret: Redacted(Array(token.reveal().utf8))),
            issuer: issuer, in: &stored)
        }
        try transaction.update(&stored)
        return .kept
      }
    }
  }

  func noteThrottle(
    _ wish: Throttle.Wish?, _ plan: SilentPlan.Refresh, _ options: SilentOptions
  ) throws(VaultError) {
    guard let wish else { return }
    let now = session.now
    try session.write { transaction in
      guard var stored = try transaction.account(of: plan.account) else { return }
      let digests = try SilentPlanner.digest(plan.clientID, plan.authority, plan.scopes, options)
      let request = digests[wish.isExact ? 1 : 0]
      stored.record.throttleEntries.removeAll { $0.until <= now || $0.request == request }
      stored.record.throttleEntries.append(
        AccountRecord.ThrottleEntry(
          request: request, until: wish.until, code: wish.code, suberror: wish.suberror))
      // More than 16 different requests in two minutes are not a loop.
      stored.record.throttleEntries = stored.record.throttleEntries.suffix(16)
      try transaction.update(&stored)
    }
  }

  /// Deletes a refresh token that the provider refused, unless it was replaced meanwhile.
  /// - Parameters:
  ///   - token: The refresh token that was sent.
  ///   - plan: The plan that it was sent for.
  /// - Returns: Whether it was still the stored one.
  func dropRefreshToken(
    _ token: Redacted<String>, _ plan: SilentPlan.Refresh
  ) throws(VaultError) -> Bool {
    try session.write { transaction in
      guard var stored = try transaction.account(of: plan.account),
        try transaction.holds(token, in: stored)
      else { return false }
      try transaction.removeRefreshToken(token, from: &stored)
      try transaction.update(&stored)
      return true
    }
  }

  /// A stored sign-in, and the refresh tokens that it replaced.
  struct NewSignIn {
    let result: TokenResult
    let replaced: [Redacted<String>]
  }

  /// Stores a sign-in in one transaction, in the place of the client's previous one. The group is
  /// created if it has no file. With `makesCurrent`, the account becomes the group's current one; so
  /// does an account that signs in alone, after all others have left the group. The client of a sign-in
  /// at a provider known by name is remembered.
  func storeAccount(
    signIn validated: ValidatedTokens, environment: String, makesCurrent: Bool,
    namedAs provider: ProviderDescription? = nil
  ) throws(VaultError) -> NewSignIn {
    let type = validated.authority.authorityType
    let record = AccountRecord(
      homeAccountID: validated.homeAccountID, environment: environment, authorityType: type,
      issuer: validated.issuer)
    let device = try SharedDevice(session)
    try GroupSetup(session).createIfMissing()
    var tags: [[UInt8]: [UInt8]] = [:]
    let signIn = try session.write { transaction in
      let known = try self.known(record, &tags, in: transaction)
      var stored = try known ?? transaction.insert(record)
      try self.requireSameServer(validated, stored, in: transaction)
      let client = CaseFolding.key(validated.clientID)
      stored.record.clients[client] = .signedIn
      transaction.state.signedOutClients.remove(client)
      // Older tokens stay bound to the server of the former sign-in or import.
      let former = stored.record
      stored.record.bindRefreshTokens(former.issuer(of:))
      stored.record.authorities[client] = try validated.authorityInTenant.url
      // The sign-in may have completed whatever step the provider required.
      stored.record.throttleEntries = []
      let replaced = try self.removeReplaced(by: validated, from: &stored, transaction)
      var result = try self.write(validated, into: &stored, transaction)
      try device.requireAlone([stored.tag], in: transaction)
      let state = transaction.state
      let isAlone = state.current == nil && state.accountCount == 1 && state.hadSeveralAccounts
      if makesCurrent || isAlone {
        transaction.state.makeCurrent(stored.tag)
        result = try self.result(of: validated, in: stored, transaction)
      }
      result.isSignedInAgain = known != nil
      if let provider {
        try transaction.remember(
          client: validated.clientID, provider, at: validated.authority, now: session.now)
      }
      return NewSignIn(result: result, replaced: replaced)
    }
    if !tags.isEmpty {
      bestEffort("a rule with the former tag beside the next one holds") {
        try rules.settle(group: session.group, tags: tags)
      }
    }
    return signIn
  }

  /// Removes the refresh tokens of the client's previous sign-in. One of a family stays for the
  /// other clients, unless the new one is of the same family.
  /// - Returns: Those that the same server issued.
  private func removeReplaced(
    by validated: ValidatedTokens, from stored: inout StoredAccount, _ transaction: GroupTransaction
  ) throws -> [Redacted<String>] {
    guard let issued = validated.answer.refreshToken else { return [] }
    let family = validated.answer.familyID
    func isReplaced(_ credential: Credential) -> Bool {
      credential.kind == .refreshToken && credential.userAssertionHash.isEmpty
        && CaseFolding.equal(credential.clientID, validated.clientID)
        && (credential.familyID.isEmpty || credential.familyID == family)
    }
    // A token of another issuer is not sent to this one, not even to be revoked.
    let own = stored.record.stored.filter { entry in
      isReplaced(entry.credential)
        && stored.record.issuer(of: entry).allows(validated.authority, name: validated.issuer)
    }
    let replaced = try own.map { entry in
      let secret = try transaction.payload(of: entry, in: stored).secret
      return Redacted(String(decoding: secret.reveal(), as: UTF8.self))
    }
    try transaction.removeCredentials(of: &stored, where: isReplaced)
    return replaced.filter { $0 != issued }
  }

  /// The account of a sign-in; nil for a new one. An account that was stored before identities
  /// contained the issuer gets it now, if it is the issuer of its ID tokens or of its sign-ins. Two
  /// issuers at one host that use the same subject for different users have two accounts.
  /// - Parameter tags: The account's new tag by its former one, if it gets another.
  private func known(
    _ record: AccountRecord, _ tags: inout [[UInt8]: [UInt8]], in transaction: GroupTransaction
  ) throws -> StoredAccount? {
    if let account = try transaction.account(storedAs: record.identity) { return account }
    guard !record.issuer.isEmpty,
      let former = try transaction.account(storedAs: record.identity.withoutIssuer),
      former.record.knownIssuer == record.issuer
    else { return nil }
    let next = [former.tag: try transaction.tag(of: record.identity)]
    // If the rules are in use, or a credential does not open, the account works as it is, and the
    // next sign-in tries again.
    do { try rules.stage(group: session.group, tags: next) } catch { return former }
    guard let moved = try transaction.setIssuer(record.issuer, of: former) else { return former }
    tags = next
    return moved
  }

  private func requireSameServer(
    _ validated: ValidatedTokens, _ stored: StoredAccount, in transaction: GroupTransaction
  ) throws(VaultError) {
    guard let other = stored.record.issuer(otherThan: validated.authority) else { return }
    throw .signedInElsewhere(
      lookup.account(stored, in: transaction), issuer: other.origin,
      requested: validated.authority.address.server)
  }

  private func write(
    _ validated: ValidatedTokens, into stored: inout StoredAccount, _ transaction: GroupTransaction
  ) throws -> TokenResult {
    let environment = stored.record.environment
    func credential(_ kind: Credential.Kind) -> Credential {
      var credential = Credential(
        kind: kind, clientID: validated.clientID, environment: environment)
      credential.lastModified = validated.now
      if kind != .refreshToken, kind != .proofKey { credential.realm = validated.realm }
      return credential
    }
    func add(
      _ credential: Credential, _ secret: Redacted<String>, issuer: AccountRecord.Issuer? = nil
    ) throws {
      try transaction.store(
        credential, CredentialPayload(secret: Redacted(Array(secret.reveal().utf8))),
        issuer: issuer, in: &stored)
    }
    let answer = validated.answer
    if let token = answer.refreshToken {
      var refresh = credential(.refreshToken)
      refresh.familyID = answer.familyID
      refresh.expiresOn = answer.refreshTokenExpiresIn.map(validated.now.advanced(by:))
      try add(
        refresh, token,
        issuer: AccountRecord.Issuer(validated.authority, name: validated.issuer))
    }
    if let token = answer.idToken { try add(credential(.idToken), token) }
    stored.record.merge(validated, environment: environment)
    if let proof = validated.proof {
      try transaction.storeKey(of: proof, credential(.proofKey), in: &stored)
    }
    try add(validated.accessToken(credential(.accessToken)), answer.accessToken)
    // The client's known family determines whose refresh tokens it tries.
    if validated.authority.isMicrosoft, answer.refreshToken != nil {
      try noteFamily(answer.familyID, client: validated.clientID, environment, transaction)
    }
    try transaction.update(&stored)
    return try result(of: validated, in: stored, transaction)
  }

  private func result(
    of validated: ValidatedTokens, in stored: StoredAccount, _ transaction: GroupTransaction
  ) throws -> TokenResult {
    TokenResult(
      accessToken: Redacted(Array(validated.answer.accessToken.reveal().utf8)),
      tokenType: validated.tokenType,
      expiresOn: validated.expiresOn.isNever ? nil : validated.expiresOn,
      scopes: validated.granted, account: lookup.account(stored, in: transaction),
      authority: try validated.authorityInTenant.url, isFromCache: false, isRefreshDue: false,
      realm: validated.realm, keyID: validated.keyID, correlationID: validated.correlationID)
  }

  private func noteFamily(
    _ family: String, client: String, _ environment: String, _ transaction: GroupTransaction
  ) throws {
    var kept = try CacheExtras.read(transaction)
    let index = kept.apps.firstIndex {
      CaseFolding.equal($0.clientID, client) && CloudEnvironment.same($0.environment, environment)
    }
    if let index {
      guard kept.apps[index].familyID != family else { return }
      kept.apps[index].setFamily(family)
    } else {
      kept.apps.append(
        MSALCache.App(clientID: client, environment: environment, familyID: family))
    }
    try CacheExtras.write(kept, transaction)
  }
}

extension GroupTransaction {
  /// Whether the account still has this refresh token.
  func holds(_ token: Redacted<String>, in stored: StoredAccount) throws -> Bool {
    try !entries(with: token, in: stored).isEmpty
  }

  /// Removes the entries that have this refresh token, and no others.
  func removeRefreshToken(_ token: Redacted<String>, from stored: inout StoredAccount) throws {
    let equal = try entries(with: token, in: stored)
    guard !equal.isEmpty else { return }
    try removeCredentials(of: &stored) { equal.contains($0) }
  }

  fileprivate func entries(
    with token: Redacted<String>, in stored: StoredAccount
  ) throws -> Set<Credential> {
    let secret = Array(token.reveal().utf8)
    var equal: Set<Credential> = []
    for entry in stored.record.stored where entry.credential.kind == .refreshToken {
      if ConstantTime.equal(try payload(of: entry, in: stored).secret.reveal(), secret) {
        equal.insert(entry.credential)
      }
    }
    return equal
  }
}

extension ValidatedTokens {
  /// The authority to use later. A tenant that was named by its domain is now known by its GUID,
  /// under which its tokens are stored.
  fileprivate var authorityInTenant: Authority {
    get throws(SignInError) {
      guard authority.kind == .entra, !authority.isForAllTenants, !realm.isEmpty else {
        return authority
      }
      return try authority.with(tenant: realm)
    }
  }

  /// The token type as spelt in MSAL's cache.
  fileprivate var tokenType: String { keyID.isEmpty ? "Bearer" : "Pop" }

  fileprivate func accessToken(_ base: Credential) -> Credential {
    var token = base
    token.target = granted.description
    token.tokenType = tokenType
    token.keyID = keyID
    token.cachedAt = now
    token.expiresOn = expiresOn
    token.extendedExpiresOn = answer.extendedExpiresIn.map(now.advanced(by:)) ?? expiresOn
    token.refreshOn = answer.refreshIn.map { now.advanced(by: $0) }
    return token
  }
}
