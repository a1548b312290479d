import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
package import TokenVaultModel

/// What a silent request comes to, from one snapshot of the group.
package enum SilentPlan: Sendable {
  /// A stored token will do.
  case serve(TokenResult)
  /// The provider has to be asked.
  case refresh(Refresh)

  /// Everything that asking takes.
  package struct Refresh: Sendable {
    package let account: Account
    /// The account's row, and the byte that is locked for it.
    let tag: [UInt8]
    package let clientID: String
    package let authority: Authority
    let scopes: ScopeSet
    let realm: String
    /// The refresh tokens in the order of trying.
    let tokens: [Redacted<String>]
    /// Served when the provider gives nothing new.
    let fallback: TokenResult?
    /// The access tokens that fitted the request when it was read.
    let known: Set<AccountRecord.StoredCredential>
    /// Until when nothing is to be sent; nil for no such wish.
    let throttle: AccountRecord.ThrottleEntry?
    /// Why there is no stored token; what is thrown when nobody can be asked.
    let reason: InteractionReason
  }
}

/// What a silent request may fall back on.
package struct SilentOptions: Sendable {
  /// The application that asks; nil for the command line, which takes the stored client's part.
  package var application: ApplicationConfiguration?
  /// Whether a token may be served beyond its end while the provider is down.
  package var extendedLifetime = false
  /// What the new token should have in it.
  package var claims: ClaimsRequest?
  /// The key that the token is to be bound to; nil for a bearer token.
  package var proof: ProofOfPossession?
  /// Whether a stored token will not do, also when it is valid.
  package var forceRefresh = false
  /// Further parameters for the token endpoint.
  package var extraParameters: [String: String] = [:]
  /// Names the request in the provider's logs; empty for a new UUID.
  package var correlationID = ""

  package init() {}

  var wantsNew: Bool { forceRefresh || !(claims?.isEmpty ?? true) }
}

extension VaultCore {
  /// Decides about a silent request.
  package func silentPlan(
    _ request: TokenRequest, of choice: AccountChoice, _ options: SilentOptions
  ) throws(VaultError) -> SilentPlan {
    try read { transaction in
      let stored = try self.stored(choice, in: transaction)
      return try self.silentPlan(request, of: stored, options, in: transaction)
    }
  }

  func silentPlan(
    _ request: TokenRequest, of stored: StoredAccount, _ options: SilentOptions,
    in transaction: GroupTransaction
  ) throws -> SilentPlan {
    let account = account(stored, in: transaction)
    var request = request
    request.keyID = options.proof?.keyID ?? ""
    request.tenantID = try request.tenantID ?? tenant(request, options, stored.record)
    var candidates: [AccountRecord.StoredCredential] = []
    var reason = options.wantsNew ? InteractionReason.newTokenRequested : .noToken
    do {
      candidates = try self.candidates(request, of: stored, account: account)
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
      try self.result(candidates[index], of: stored, account: account, in: transaction)
    }
    func decision(hasRefreshToken: Bool) -> SilentDecision {
      SilentDecision(
        tokens: candidates.map(\.credential), hasRefreshToken: hasRefreshToken,
        wantsNew: options.wantsNew, now: now, skew: request.minimumValidity,
        extendedLifetime: options.extendedLifetime)
    }
    // Where the stored token will do in any case, what a new one would take is not looked at.
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
    guard let client, let authority = try authority(request, options, client, of: stored) else {
      if let fallback { return .serve(fallback) }
      throw VaultError.interactionRequired(.unknownAuthority, account: account, group: group)
    }
    let scopes = Self.scopes(request, candidates)
    let digest = try Self.digest(client, authority, scopes, options)
    return .refresh(
      SilentPlan.Refresh(
        account: account, tag: stored.tag, clientID: client, authority: authority, scopes: scopes,
        realm: Self.realm(request, stored, authority), tokens: tokens, fallback: fallback,
        known: Set(candidates),
        throttle: stored.record.throttleEntries.first {
          // One that ends later than any was made is of a clock that was set back since.
          $0.until > now && $0.until <= now.advanced(by: Throttle.longest)
            && digest.contains($0.request)
        },
        reason: reason))
  }

  /// The clients that a refresh may be for: one, where the request or what is stored says it.
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
  ) throws -> [Redacted<String>] {
    guard let client else { return [] }
    let entries = stored.record.stored.filter {
      $0.credential.kind == .refreshToken && $0.credential.userAssertionHash.isEmpty
    }
    let known = try extras(in: transaction).apps.first {
      CaseFolding.equal($0.clientID, client)
        && CloudEnvironment.same($0.environment, stored.record.environment)
    }
    let membership: RefreshOrder.Membership =
      known.map { $0.familyID.isEmpty ? .none : .member($0.familyID) } ?? .unknown
    let order = RefreshOrder.order(
      entries.map(\.credential), client: client, membership: membership)
    return try order.map { index in
      let bytes = try transaction.payload(of: entries[index], in: stored).secret
      return Redacted(String(decoding: bytes.reveal(), as: UTF8.self))
    }
  }

  /// A resource stands for all that it grants the client. Without either, what the stored token
  /// has is asked for again; a provider gives the scopes of the sign-in where none is named.
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

  /// What a throttle entry may be for: this very request, or anything of this client.
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
