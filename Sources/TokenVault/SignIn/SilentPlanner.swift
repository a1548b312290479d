import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Decides how to serve silent requests, each from one snapshot of the group.
package struct SilentPlanner {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }
  private var cache: TokenCache { TokenCache(session) }
  private var group: GroupName { session.group }
  private var now: Timestamp { session.now }

  package init(_ session: GroupSession) { self.session = session }

  package func plan(
    _ request: TokenRequest, of reference: AccountReference, _ options: SilentOptions
  ) throws(VaultError) -> SilentPlan {
    try session.read { transaction in
      let stored = try self.lookup.stored(reference, in: transaction)
      return try self.plan(request, of: stored, options, in: transaction)
    }
  }

  func plan(
    _ request: TokenRequest, of stored: StoredAccount, _ options: SilentOptions,
    in transaction: GroupTransaction
  ) throws -> SilentPlan {
    let account = lookup.account(stored, in: transaction)
    var request = request
    request.keyID = options.proof?.keyID ?? ""
    request.tenantID = try request.tenantID ?? stored.record.tenant(request, options)
    var candidates: [AccountRecord.StoredCredential] = []
    var reason = options.wantsNew ? InteractionReason.newTokenRequested : .noToken
    do {
      candidates = try cache.candidates(request, of: stored, account: account)
      if !options.wantsNew {
        reason = .expired(candidates.compactMap(\.credential.expiresOn).max())
      }
    } catch VaultError.interactionRequired(let why, _, _) {
      if why == .signedOut {
        throw VaultError.interactionRequired(why, account: account, group: group)
      }
      if !options.wantsNew { reason = why }
    }
    func result(_ index: Int) throws -> TokenResult {
      try cache.result(candidates[index], of: stored, account: account, in: transaction)
    }
    func decision(hasRefreshToken: Bool) -> SilentDecision {
      SilentDecision(
        tokens: candidates.map(\.credential), hasRefreshToken: hasRefreshToken,
        wantsNew: options.wantsNew, now: now, minimumValidity: request.minimumValidity,
        extendedLifetime: options.extendedLifetime)
    }
    // If a stored token suffices in any case, the prerequisites of a refresh are not checked.
    if case .serve(let index) = decision(hasRefreshToken: true) { return .serve(try result(index)) }
    let clients = clients(for: request, among: candidates, of: stored)
    let client = clients.count == 1 ? clients.first : nil
    let tokens = try refreshTokens(of: stored, client: client, in: transaction)
    let fallback: TokenResult?
    switch decision(hasRefreshToken: !tokens.isEmpty || clients.count > 1) {
    case .serve(let index): return .serve(try result(index))
    case .interaction:
      throw VaultError.interactionRequired(reason, account: account, group: group)
    case .refresh(.none): fallback = nil
    case .refresh(.valid(let index)): fallback = try result(index)
    case .refresh(.extended(let index)):
      var extended = try result(index)
      extended.isExtendedLifetime = true
      fallback = extended
    }
    if clients.count > 1, fallback == nil {
      throw VaultError.clientRequired(stored: clients, account: account)
    }
    guard let client, let authority = try stored.record.authority(request, options, client) else {
      if let fallback { return .serve(fallback) }
      throw VaultError.interactionRequired(.unknownAuthority, account: account, group: group)
    }
    let own = tokens.filter { $0.issuer.allows(authority) }
    if own.isEmpty, let other = tokens.first {
      if let fallback { return .serve(fallback) }
      throw SignInError.issuedElsewhere(
        issuer: other.issuer.origin, requested: authority.address.server)
    }
    let scopes = Self.scopes(request, candidates)
    let digest = try Self.digest(client, authority, scopes, options)
    return .refresh(
      SilentPlan.Refresh(
        account: account, tag: try transaction.lockTag(of: stored), clientID: client,
        authority: authority, scopes: scopes,
        realm: Self.realm(request, stored, authority), tokens: own, fallback: fallback,
        known: try Set(candidates.map { try tokenDigest(of: $0, in: stored, transaction) }),
        throttle: stored.record.throttleEntries.first {
          // An entry that lasts longer than any can last was made before the clock was set back.
          $0.until > now && $0.until <= now.advanced(by: Throttle.longest)
            && digest.contains($0.request)
        },
        reason: reason))
  }

  /// A digest that a token has in no matter which row it is, and that no other token has.
  private func tokenDigest(
    of entry: AccountRecord.StoredCredential, in stored: StoredAccount,
    _ transaction: GroupTransaction
  ) throws -> [UInt8] {
    do {
      return try Digest.sha256(transaction.payload(of: entry, in: stored).secret.reveal())
    } catch StoreError.damaged { return [] }
  }

  /// The clients that a refresh may be for; only one if the request or the stored tokens determine
  /// it.
  private func clients(
    for request: TokenRequest, among candidates: [AccountRecord.StoredCredential],
    of stored: StoredAccount
  ) -> [String] {
    if let client = request.clientID { return [client] }
    let holders = stored.record.stored.map(\.credential).filter {
      $0.kind == .refreshToken && stored.record.clients[CaseFolding.key($0.clientID)] != .signedOut
    }
    let latest = candidates.map(\.credential).filter { candidate in
      holders.contains {
        CaseFolding.equal($0.clientID, candidate.clientID) || !$0.familyID.isEmpty
      }
    }.max { ($0.expiresOn ?? now) < ($1.expiresOn ?? now) }
    if let latest { return [latest.clientID] }
    var seen = Set<String>()
    return holders.map(\.clientID).filter { seen.insert(CaseFolding.key($0)).inserted }.sorted()
  }

  private func refreshTokens(
    of stored: StoredAccount, client: String?, in transaction: GroupTransaction
  ) throws -> [SilentPlan.RefreshToken] {
    guard let client else { return [] }
    let entries = stored.record.stored.filter {
      $0.credential.kind == .refreshToken && $0.credential.userAssertionHash.isEmpty
    }
    let known = try CacheExtras.read(transaction).apps.first {
      CaseFolding.equal($0.clientID, client)
        && CloudEnvironment.same($0.environment, stored.record.environment)
    }
    let membership: RefreshOrder.Membership =
      known.map { $0.familyID.isEmpty ? .none : .member($0.familyID) } ?? .unknown
    let order = RefreshOrder.order(
      entries.map(\.credential), client: client, membership: membership)
    return try order.map { index in
      let bytes = try transaction.payload(of: entries[index], in: stored).secret
      return SilentPlan.RefreshToken(
        secret: Redacted(String(decoding: bytes.reveal(), as: UTF8.self)),
        issuer: stored.record.issuer(of: entries[index]))
    }
  }

  /// A resource stands for everything that it grants the client. With neither resource nor scopes,
  /// the scopes of the stored token are requested again; if none are named, a provider grants those
  /// of the sign-in.
  private static func scopes(
    _ request: TokenRequest, _ candidates: [AccountRecord.StoredCredential]
  ) -> ScopeSet {
    if let resource = request.resource {
      return ScopeSet([resource.hasSuffix("/") ? resource + ".default" : resource + "/.default"])
    }
    return request.scopes.isEmpty
      ? candidates.first?.credential.scopes ?? ScopeSet([])
      : request.scopes
  }

  private static func realm(
    _ request: TokenRequest, _ stored: StoredAccount, _ authority: Authority
  ) -> String {
    if authority.kind == .entra { return authority.tenant }
    return request.tenantID ?? stored.record.profiles.first?.tenantID ?? ""
  }

  /// The keys of the throttle entries that can apply: one for every request of this client, and one
  /// for exactly this request.
  static func digest(
    _ client: String, _ authority: Authority, _ scopes: ScopeSet, _ options: SilentOptions
  ) throws -> [[UInt8]] {
    let whole = ["client", CaseFolding.key(client), authority.address.origin]
    let exact =
      whole + [
        authority.description,
        scopes.scopes.map { $0.lowercased() }.sorted().joined(separator: " "),
        options.claims?.json ?? "",
      ]
    return try [whole, exact].map { parts in
      Array(try Digest.sha256(Array(parts.joined(separator: "\n").utf8)).prefix(16))
    }
  }
}
