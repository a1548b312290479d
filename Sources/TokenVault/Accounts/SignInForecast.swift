import TokenVaultGroupStore
package import TokenVaultModel
import TokenVaultSignIn

/// When an account will need its user: for a sign-in, or for another secret.
package struct SignInForecast: Sendable {
  /// The fact that the forecast rests on.
  package enum Reason: String, Sendable {
    /// It is signed out.
    case signedOut
    /// Only an access token is stored. The provider issued no refresh token, or has refused it.
    case notRenewable
    /// The provider named the end of the refresh token.
    case refreshTokenExpires
    /// The provider ends a refresh token that is not used for some time.
    case refreshTokenUnused
    /// The user named the end of the stored secret.
    case secretExpires
    /// Its token does not expire.
    case noExpiry
    /// There is a refresh token or a secret, and its end is not known.
    case unknown
  }

  package let account: Account
  /// The time from which the account cannot be used; nil if there is none, or if it is not known.
  package let due: Timestamp?
  package let reason: Reason
}

/// The forecasts of a group.
package struct SignInForecasts: Sendable {
  /// In the order of a listing.
  package var forecasts: [SignInForecast] = []
  /// The number of accounts whose rows cannot be decrypted.
  package var damagedRows = 0
}

extension GroupSession {
  /// The forecast for every account of the group.
  /// - Throws: ``VaultError/badManifest(path:fault:)`` if a provider file cannot be used.
  package func forecasts() throws(VaultError) -> SignInForecasts {
    let rules = try RefreshTokenRules(configuration.providers)
    let now = now
    return try read { transaction in
      var result = SignInForecasts()
      result.damagedRows = try transaction.forEachAccount { stored throws(StoreError) in
        let account = self.lookup.account(stored, in: transaction)
        let (due, reason) = stored.record.forecast(rules, account, now)
        result.forecasts.append(SignInForecast(account: account, due: due, reason: reason))
      }
      result.forecasts.sort { Account.isOrdered($0.account, $1.account) }
      return result
    }
  }
}

/// The time for which each provider keeps an unused refresh token.
private struct RefreshTokenRules {
  private var microsoft: Int64?
  /// By issuer.
  private var days: [String: Int64] = [:]

  init(_ known: KnownProviders) throws(VaultError) {
    for name in try known.names() {
      guard let provider = try known.named(name), let idle = provider.refreshTokenIdleDays else {
        continue
      }
      if name == "microsoft" { microsoft = idle }
      if let issuer = provider.issuer, !issuer.isMicrosoft {
        days[AccountIdentity.bare(issuer.url)] = idle
      }
    }
  }

  func days(_ account: Account) -> Int64? {
    switch account.authorityType {
    case .entra: microsoft
    case .oidc: days[account.issuer]
    default: nil
    }
  }
}

extension AccountRecord {
  fileprivate func forecast(
    _ rules: RefreshTokenRules, _ account: Account, _ now: Timestamp
  ) -> (Timestamp?, SignInForecast.Reason) {
    if isSecret {
      let end = account.accessTokenExpiresOn
      return (end, end == nil ? .unknown : .secretExpires)
    }
    guard isSignedIn else { return (now, .signedOut) }
    let tokens = stored.map(\.credential)
    // The refresh tokens of a family serve all of its clients.
    let refreshTokens = Dictionary(grouping: tokens.filter { $0.kind == .refreshToken }) {
      $0.familyID.isEmpty ? CaseFolding.key($0.clientID) : "family \($0.familyID)"
    }
    guard !refreshTokens.isEmpty else {
      guard let end = Self.end(ofUnrenewed: tokens) else { return (now, .notRenewable) }
      return end.isNever ? (nil, .noExpiry) : (end, .notRenewable)
    }
    let ends = refreshTokens.values.map { group in
      end(of: group, among: tokens, idleDays: rules.days(account))
    }
    // A client that was not used for too long says nothing about the others.
    let others = ends.filter { $0.map { $0.1 != .refreshTokenUnused || $0.0 > now } ?? true }
    // The first client that needs its user counts.
    let known = others.isEmpty ? ends : others
    let first = known.compactMap(\.self).min { $0.0 < $1.0 }
    return first.map { ($0.0, $0.1) } ?? (nil, .unknown)
  }

  /// The time at which the first client has no access token any more; nil without tokens.
  static func end(ofUnrenewed tokens: [Credential]) -> Timestamp? {
    Dictionary(grouping: tokens.filter { $0.kind == .accessToken }) {
      CaseFolding.key($0.clientID)
    }
    .values.compactMap { $0.compactMap(\.expiresOn).max() }.min()
  }

  /// The end of the last one of refresh tokens that serve the same clients; nil if it is not known.
  private func end(
    of refreshTokens: [Credential], among tokens: [Credential], idleDays: Int64?
  ) -> (Timestamp, SignInForecast.Reason)? {
    let named = refreshTokens.compactMap(\.expiresOn)
    if named.count == refreshTokens.count, let last = named.max() {
      return (last, .refreshTokenExpires)
    }
    let clients = Set(refreshTokens.map { CaseFolding.key($0.clientID) })
    let uses =
      refreshTokens.compactMap(\.lastModified)
      + tokens.filter { $0.kind == .accessToken && clients.contains(CaseFolding.key($0.clientID)) }
      .compactMap(\.cachedAt)
    guard let idleDays, let last = uses.max() else { return nil }
    return (last.advanced(by: idleDays * 86_400), .refreshTokenUnused)
  }
}
