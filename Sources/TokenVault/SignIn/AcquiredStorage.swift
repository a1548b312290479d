import GroupStore
import SignIn
import VaultCrypto
import VaultModel

extension VaultCore {
  /// What became of an answer.
  enum StoredAnswer {
    case stored(TokenResult)
    /// The refresh token that was sent is no more the one that is stored.
    case superseded
    /// The account, or this client's part in it, was signed out.
    case gone
  }

  /// Stores the answer to a refresh, in one step, if the group still has what was refreshed.
  func store(
    _ acquired: Acquired, for plan: SilentPlan.Refresh, sent: Redacted<String>
  ) throws(VaultError) -> StoredAnswer {
    try write { transaction in
      guard var stored = try transaction.account(tag: plan.tag),
        stored.sheet.clients[CaseFolding.key(plan.clientID)] != .signedOut
      else { return .gone }
      guard try transaction.holds(sent, in: stored) else { return .superseded }
      if acquired.answer.refreshToken != nil {
        try transaction.removeRefreshToken(sent, from: &stored)
      }
      // What the provider wanted of the user it may have got elsewhere; its own quiet it keeps.
      stored.sheet.pauses.removeAll { $0.code != Pauses.outage }
      return .stored(try self.store(acquired, in: &stored, transaction))
    }
  }

  /// Stores nothing of an answer but its refresh token, in the place of the one that was sent.
  ///
  /// A provider that rotates took that one back when it answered: whatever is wrong with the rest of
  /// the answer (keys that cannot be fetched, a clock that is off), without the new one the account
  /// is lost, and sending the old one again looks like theft (RFC 9700 section 4.14.2). Whose it is
  /// is verified at the next refresh, before anything that it brings is served.
  func keepRefreshToken(
    of response: HTTPResponse, for plan: SilentPlan.Refresh, sent: Redacted<String>
  ) throws(VaultError) {
    guard let token = TokenAnswer.refreshToken(in: response) else { return }
    let now = now
    try write { transaction in
      guard var stored = try transaction.account(tag: plan.tag) else { return }
      for var credential in try transaction.entries(with: sent, in: stored) {
        credential.lastModified = now
        try transaction.store(
          credential, Payload(secret: Redacted(Array(token.reveal().utf8))), in: &stored)
      }
      try transaction.update(&stored)
    }
  }

  /// Stores a sign-in, in one step; makes the group where there is none.
  /// - Parameter makesCurrent: whether the account becomes the group's current one.
  func store(
    signIn acquired: Acquired, environment: String, makesCurrent: Bool
  ) throws(VaultError) -> TokenResult {
    let type = acquired.authority.authorityType
    let sheet = AccountSheet(
      homeAccountID: acquired.homeAccountID, environment: environment, authorityType: type)
    let isShared = try deviceInformation().mode == .shared
    try createIfMissing()
    return try write { transaction in
      var stored =
        try transaction.account(tag: try transaction.tag(of: sheet.identity))
        ?? transaction.insert(sheet)
      try self.requireSameIssuer(acquired, stored.sheet)
      let client = CaseFolding.key(acquired.clientID)
      stored.sheet.clients[client] = .signedIn
      stored.sheet.authorities[client] = try acquired.authorityInTenant.url
      // Whatever the provider wanted of the user may have been given.
      stored.sheet.pauses = []
      let result = try self.store(acquired, in: &stored, transaction)
      if isShared { try self.requireAlone([stored.tag], in: transaction) }
      guard makesCurrent else { return result }
      transaction.state.current = stored.tag
      return try self.result(of: acquired, in: stored, transaction)
    }
  }

  /// A subject is unique within its issuer only (OIDC Core section 2). Two issuers at one host that
  /// call different people by the same subject must not share an account.
  private func requireSameIssuer(
    _ acquired: Acquired, _ sheet: AccountSheet
  ) throws(VaultError) {
    guard !acquired.authority.isMicrosoft, let issuer = acquired.idToken?.issuer else { return }
    for profile in sheet.profiles {
      if let known = IDToken(claimsJSON: profile.claimsJSON)?.issuer, known != issuer {
        throw .accountOfOtherIssuer(group: group)
      }
    }
  }

  private func store(
    _ acquired: Acquired, in stored: inout StoredAccount, _ transaction: GroupTransaction
  ) throws -> TokenResult {
    let environment = stored.sheet.environment
    func credential(_ kind: Credential.Kind) -> Credential {
      var credential = Credential(
        kind: kind, clientID: acquired.clientID, environment: environment)
      credential.lastModified = acquired.now
      if kind != .refreshToken { credential.realm = acquired.realm }
      return credential
    }
    func store(_ credential: Credential, _ secret: Redacted<String>) throws {
      try transaction.store(
        credential, Payload(secret: Redacted(Array(secret.reveal().utf8))), in: &stored)
    }
    let answer = acquired.answer
    if let token = answer.refreshToken {
      var refresh = credential(.refreshToken)
      refresh.familyID = answer.familyID
      try store(refresh, token)
    }
    if let token = answer.idToken { try store(credential(.idToken), token) }
    stored.sheet.merge(acquired, environment: environment)
    // Keys live as long as their process: nobody else would ever take their tokens away.
    if !acquired.keyID.isEmpty {
      try transaction.removeCredentials(of: &stored) {
        $0.kind == .accessToken && !$0.keyID.isEmpty && !$0.isValid(at: acquired.now, skew: 0)
      }
    }
    try store(acquired.accessToken(credential(.accessToken)), answer.accessToken)
    // What is known of the client's family decides whose refresh tokens it tries.
    if acquired.authority.isMicrosoft, answer.refreshToken != nil {
      try noteFamily(answer.familyID, client: acquired.clientID, environment, transaction)
    }
    try transaction.update(&stored)
    return try result(of: acquired, in: stored, transaction)
  }

  private func result(
    of acquired: Acquired, in stored: StoredAccount, _ transaction: GroupTransaction
  ) throws -> TokenResult {
    TokenResult(
      accessToken: Redacted(Array(acquired.answer.accessToken.reveal().utf8)),
      tokenType: acquired.tokenType,
      expiresOn: acquired.now.advanced(by: acquired.answer.expiresIn),
      scopes: acquired.granted, account: account(stored, in: transaction),
      authority: try acquired.authorityInTenant.url, isFromCache: false, isRefreshDue: false,
      realm: acquired.realm, correlationID: acquired.correlationID)
  }

  private func noteFamily(
    _ family: String, client: String, _ environment: String, _ transaction: GroupTransaction
  ) throws {
    var kept = try extras(in: transaction)
    let index = kept.apps.firstIndex {
      CaseFolding.equal($0.clientID, client) && CloudEnvironment.same($0.environment, environment)
    }
    if let index {
      guard kept.apps[index].familyID != family else { return }
      kept.apps[index].familyID = family
    } else {
      kept.apps.append(
        MSALCache.App(clientID: client, environment: environment, familyID: family))
    }
    try transaction.setExtras(try kept.json())
  }
}

extension GroupTransaction {
  /// Whether the account still has this refresh token.
  func holds(_ token: Redacted<String>, in stored: StoredAccount) throws -> Bool {
    try !entries(with: token, in: stored).isEmpty
  }

  /// Removes the entries that have this refresh token, and no other.
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
    for entry in stored.sheet.stored where entry.credential.kind == .refreshToken {
      if ConstantTime.equal(try payload(of: entry, in: stored).secret.reveal(), secret) {
        equal.insert(entry.credential)
      }
    }
    return equal
  }
}

extension Acquired {
  /// The authority to ask later: a tenant that was named by its domain is known by its GUID now,
  /// under which its tokens are stored.
  fileprivate var authorityInTenant: Authority {
    get throws(SignInError) {
      guard authority.kind == .entra, !authority.isForAllTenants, !realm.isEmpty else {
        return authority
      }
      return try authority.with(tenant: realm)
    }
  }

  /// As MSAL's cache spells it.
  fileprivate var tokenType: String { keyID.isEmpty ? "Bearer" : "Pop" }

  fileprivate func accessToken(_ base: Credential) -> Credential {
    var token = base
    token.target = granted.description
    token.tokenType = tokenType
    token.keyID = keyID
    token.cachedAt = now
    token.expiresOn = now.advanced(by: answer.expiresIn)
    token.extendedExpiresOn = now.advanced(by: answer.extendedExpiresIn ?? answer.expiresIn)
    token.refreshOn = answer.refreshIn.map { now.advanced(by: $0) }
    return token
  }
}

extension AccountSheet {
  /// The tenant's profile with what the ID token says.
  fileprivate mutating func merge(_ acquired: Acquired, environment: String) {
    guard let idToken = acquired.idToken else { return }
    let index = profiles.firstIndex { CaseFolding.equal($0.tenantID, acquired.realm) }
    let known = index.map { profiles[$0] }
    let profile = Profile(
      tenantID: acquired.realm, localAccountID: idToken.localAccountID ?? "",
      username: acquired.username.isEmpty ? known?.username ?? "" : acquired.username,
      environment: environment, claimsJSON: idToken.claimsJSON,
      extraJSON: acquired.profileFields(over: known?.extraJSON ?? []))
    if let index { profiles[index] = profile } else { profiles.append(profile) }
    profiles.sort { ($0.tenantID, $0.localAccountID) < ($1.tenantID, $1.localAccountID) }
  }
}

extension Acquired {
  /// The fields of MSAL's `Account` entity that other libraries look at.
  fileprivate func profileFields(over known: [UInt8]) -> [UInt8] {
    var members: [JSONValue.Member] = []
    if !known.isEmpty {
      // absent is an answer: what does not parse is replaced by what is known now.
      do { members = try JSONValue(parsing: known).members ?? [] } catch { members = [] }
    }
    func set(_ name: String, _ text: String?) {
      guard let text else { return }
      members.removeAll { $0.name == name }
      members.append(.init(name, .string(text)))
    }
    set("client_info", answer.clientInfoText)
    set("name", idToken?.name)
    return members.isEmpty ? [] : JSONValue.object(members).bytes
  }
}
