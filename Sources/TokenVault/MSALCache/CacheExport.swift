import TokenVaultGroupStore
import TokenVaultCrypto
package import TokenVaultModel

/// Writes the accounts of a group as an MSAL cache.
package struct CacheExport {
  private let session: GroupSession
  private let progress: (_ done: Int, _ all: Int) -> Void

  /// - Parameter progress: Called after each account with the number of accounts so far, and of all.
  package init(
    _ session: GroupSession, progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.session = session
    self.progress = progress
  }

  /// The accounts that match a query, as a cache that MSAL libraries read. Plain secrets are
  /// omitted, because the schema has no place for them.
  package func run(_ query: AccountQuery) throws(VaultError) -> MSALCache {
    try session.read { transaction in
      var cache = try CacheExtras.read(transaction)
      let selection = try AccountEnumeration(self.session).selection(query, in: transaction)
      let all = Int(clamping: transaction.state.accountCount)
      var done = 0
      let damaged = try transaction.forEachAccount { account throws(StoreError) in
        if selection(account.viewed) != nil { try Self.add(account, to: &cache, in: transaction) }
        done += 1
        self.progress(done, all)
      }
      // An export must not omit an account.
      guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
      // A complete cache includes the parts that belong to no account; a partial one includes only
      // the metadata of its clients.
      if query != .all {
        cache.unknown = []
        let clients = Set(cache.tokens.map { CaseFolding.key($0.credential.clientID) })
        cache.apps.removeAll { !clients.contains(CaseFolding.key($0.clientID)) }
      }
      return cache
    }
  }

  private static func add(
    _ account: StoredAccount, to cache: inout MSALCache, in transaction: GroupTransaction
  ) throws(StoreError) {
    let record = account.record
    guard record.authorityType != .secret else { return }
    // The ID tokens of other accounts name their issuer.
    let hasIDToken = record.stored.contains { $0.credential.kind == .idToken }
    let issuer = hasIDToken ? "" : record.knownIssuer
    if record.orphanClient.isEmpty {
      cache.profiles += record.profiles.map { profile in
        var exported = MSALCache.Profile(
          homeAccountID: record.homeAccountID, environment: profile.environment,
          realm: profile.tenantID, localAccountID: profile.localAccountID,
          username: profile.username, authorityType: record.authorityType.cacheText,
          extraJSON: profile.extraJSON)
        exported.issuer = issuer
        return exported
      }
    }
    for stored in record.stored where stored.credential.kind != .proofKey {
      let payload = try transaction.payload(of: stored, in: account)
      var credential = stored.credential
      if case .other = credential.kind { credential.keyID = "" }
      var token = MSALCache.Token(
        credential: credential, homeAccountID: record.homeAccountID,
        secret: Redacted(String(decoding: payload.secret.reveal(), as: UTF8.self)),
        extraJSON: payload.extraJSON)
      token.issuer = issuer
      cache.tokens.append(token)
    }
  }
}
