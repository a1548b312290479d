import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Stores the content of an MSAL cache in a group.
package struct CacheImport {
  private let session: GroupSession
  private let progress: (_ done: Int, _ all: Int) -> Void
  private var lookup: AccountLookup { session.lookup }

  /// - Parameter progress: Called after each account with the number of accounts so far, and of all.
  package init(
    _ session: GroupSession, progress: @escaping (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) {
    self.session = session
    self.progress = progress
  }

  /// Stores the content of a cache in one transaction. Entities are matched by their fields, and
  /// unknown fields are kept.
  ///
  /// A credential never replaces a newer one. Importing an account that was signed out signs it in
  /// again, because the user requested it. No imported account becomes the current one.
  /// - Parameters:
  ///   - cache: The cache to store.
  ///   - path: The file that the cache was read from, which later sign-outs look into; nil for
  ///     none. A pipe or a terminal counts as none.
  ///   - isRehearsal: Whether to change nothing, and to report what would be stored.
  ///   - needsContent: Whether a group is created only for an account or a token.
  package func run(
    _ cache: MSALCache, from path: String? = nil, isRehearsal: Bool = false,
    needsContent: Bool = false
  ) throws(VaultError) -> ImportReport {
    let file = path.flatMap(CacheFile.path(toRemember:))
    let sorted = AccountBundle.sorted(cache)
    let device = try SharedDevice(session)
    try device.requireOne(of: sorted.count)
    // Content that cannot be stored must not leave behind a group that was created for it.
    try vaultErrors(session.group) { try Self.requireStorable(cache) }
    // A cache without content creates no group.
    let isEmpty = sorted.isEmpty && (needsContent || cache.apps.isEmpty && cache.unknown.isEmpty)
    if isEmpty, try !session.exists() { return ImportReport() }
    let madeGroup =
      isRehearsal ? try !session.exists() : try GroupSetup(session).createIfMissing()
    var report = try session.write(isRehearsal: isRehearsal) { transaction in
      var report = ImportReport()
      var tags: [[UInt8]] = []
      for bundle in sorted {
        tags.append(try self.storeAccount(bundle, in: transaction, report: &report))
        self.progress(tags.count, sorted.count)
      }
      try device.requireAlone(tags, in: transaction)
      try self.keepExtras(of: cache, in: transaction)
      if let file, !sorted.isEmpty {
        transaction.state.importedFiles.removeAll { $0 == file || CacheFile.isGone($0) }
        transaction.state.importedFiles.append(file)
      }
      return report
    }
    report.madeGroup = madeGroup
    return report
  }

  private static func requireStorable(_ cache: MSALCache) throws {
    for token in cache.tokens {
      try CredentialPayload.requireStorable(
        secretBytes: token.secret.reveal().utf8.count, extraBytes: token.extraJSON.count)
    }
    guard
      try MSALCache(apps: cache.apps, unknown: cache.unknown).json().count
        <= CredentialPayload.limit
    else { throw StoreError.tooLarge(limit: CredentialPayload.limit) }
  }

  /// The stored account that a bundle belongs to; nil if the group does not have it.
  private func known(
    _ bundle: AccountBundle, in transaction: GroupTransaction
  ) throws -> StoredAccount? {
    if bundle.environment.isEmpty, !bundle.homeAccountID.isEmpty {
      let folded = CaseFolding.fold(bundle.homeAccountID)
      for tag in try transaction.tags(named: folded) {
        guard let account = try transaction.account(tag: tag) else { continue }
        if CaseFolding.fold(account.record.homeAccountID) == folded { return account }
      }
    }
    if let account = try transaction.account(storedAs: bundle.identity) { return account }
    return try knownByIssuer(bundle, in: transaction)
  }

  /// The stored account of an OpenID Connect provider other than Microsoft that a bundle belongs to,
  /// although they do not name the same issuer.
  ///
  /// An account that was stored without its issuer has that of its claims. If only one of the two
  /// names an issuer, both must also have the same user name.
  private func knownByIssuer(
    _ bundle: AccountBundle, in transaction: GroupTransaction
  ) throws -> StoredAccount? {
    guard !CloudEnvironment.isKnownCloud(bundle.environment) else { return nil }
    let identity = bundle.identity.withoutIssuer
    let former = try transaction.account(storedAs: identity)
    let candidates =
      try transaction.accounts(differingInIssuerFrom: identity) + (former.map { [$0] } ?? [])
    func hasName(_ account: StoredAccount) -> Bool {
      let names = Set(account.record.profiles.map { CaseFolding.key($0.username) })
      return bundle.profiles.contains {
        !$0.username.isEmpty && names.contains(CaseFolding.key($0.username))
      }
    }
    let found = candidates.filter { account in
      guard account.record.authorityType == .oidc else { return false }
      let issuer = account.record.knownIssuer
      return issuer == bundle.issuer && !issuer.isEmpty
        || (issuer.isEmpty || bundle.issuer.isEmpty) && hasName(account)
    }
    return found.count == 1 ? found.first : nil
  }

  /// - Returns: The account's tag.
  private func storeAccount(
    _ bundle: AccountBundle, in transaction: GroupTransaction, report: inout ImportReport
  ) throws -> [UInt8] {
    let known = try known(bundle, in: transaction)
    var stored =
      try known
      ?? transaction.insert(
        AccountRecord(
          homeAccountID: bundle.homeAccountID, environment: bundle.environment,
          authorityType: bundle.authorityType, orphanClient: bundle.identity.orphanClient,
          issuer: bundle.issuer))
    let before = stored.record
    try requireSameIssuer(bundle, stored, in: transaction)
    for profile in bundle.profiles { stored.record.merge(profile) }
    let issuer = AccountRecord.Issuer.imported(
      stored.record.environment,
      idTokens: bundle.tokens.filter { $0.credential.kind == .idToken }
        .compactMap { IDToken($0.secret.reveal()) }, named: bundle.issuer)
    for token in bundle.tokens {
      switch try storeToken(token, issuer: issuer, in: &stored, transaction: transaction) {
      case .stored: report.credentials += 1
      case .older: report.olderCredentials += 1
      case .unchanged: break
      }
    }
    // A provider without ID tokens may issue no refresh token, by which other imported accounts count
    // as signed in.
    for token in bundle.tokens
    where token.credential.kind == .accessToken && bundle.believed(token.issuer) != nil {
      stored.record.clients[CaseFolding.key(token.credential.clientID)] = .signedIn
    }
    stored.record.sortForStorage()
    try transaction.update(&stored)
    let account = lookup.account(stored, in: transaction)
    if known == nil {
      report.added.append(account)
    } else if stored.record != before {
      report.updated.append(account)
    } else {
      report.unchanged.append(account)
    }
    return stored.tag
  }

  /// If no sign-in records the authority to ask for an account's new tokens, the issuer of its ID
  /// token determines it. An imported file must not redirect the stored refresh tokens to another
  /// issuer at the same host. The identity of other accounts contains their issuer.
  private func requireSameIssuer(
    _ bundle: AccountBundle, _ stored: StoredAccount, in transaction: GroupTransaction
  ) throws {
    let record = stored.record
    guard record.authorityType != .b2c, record.authorityType != .oidc,
      !CloudEnvironment.isKnownCloud(record.environment)
    else { return }
    let known = record.profiles.compactMap { IDToken(claimsJSON: $0.claimsJSON)?.issuer }
    for token in bundle.tokens where token.credential.kind == .idToken {
      guard let issuer = IDToken(token.secret.reveal())?.issuer else { continue }
      guard known.allSatisfy({ Self.isSameIssuer(issuer, $0) }) else {
        throw VaultError.accountOfOtherIssuer(lookup.account(stored, in: transaction))
      }
    }
  }

  private static func isSameIssuer(_ left: String, _ right: String) -> Bool {
    if left == right { return true }
    // A server of the kind that Microsoft runs issues tokens for many tenants.
    do {
      let (left, right) = (try Authority(left), try Authority(right))
      return left.kind == .entra && right.kind == .entra && left.isSameServer(as: right)
    } catch { return false }
  }

  /// The result of storing an imported credential.
  private enum Fate { case stored, unchanged, older }

  private func storeToken(
    _ token: MSALCache.Token, issuer: AccountRecord.Issuer, in account: inout StoredAccount,
    transaction: GroupTransaction
  ) throws -> Fate {
    var credential = token.credential
    if case .other(let type) = credential.kind {
      // A type of another SDK must never be read back, and served, as one of this project's types.
      credential.kind = .other("foreign \(type)")
      credential.keyID = Hexadecimal.encode(try Digest.sha256(token.foreignIdentity))
    }
    // The user requested the account, even if only a family's token of a signed-out client is left
    // of it (MSAL for iOS and macOS: storing a token ends a client's sign-out).
    account.record.clients[CaseFolding.key(credential.clientID)] = nil
    // A new refresh token may be sent at once, whatever happened to the old one.
    if credential.kind == .refreshToken { account.record.throttleEntries = [] }
    let secret = Array(token.secret.reveal().utf8)
    for stored in account.record.stored where credential.replaces(stored.credential) {
      if credential.version < stored.credential.version { return .older }
      if credential == stored.credential {
        let present = try transaction.payload(of: stored, in: account)
        if ConstantTime.equal(present.secret.reveal(), secret), present.extraJSON == token.extraJSON
        {
          return .unchanged
        }
      }
    }
    if credential.kind == .idToken { account.record.takeClaims(token) }
    try transaction.store(
      credential, CredentialPayload(secret: Redacted(secret), extraJSON: token.extraJSON),
      issuer: binds(credential, issuer, account.record) ? issuer : nil, in: &account)
    return .stored
  }

  /// Whether the server that issued a credential is stored with it: of a refresh token always, of an
  /// access token if it differs from the one that signed its client in.
  private func binds(
    _ credential: Credential, _ issuer: AccountRecord.Issuer, _ record: AccountRecord
  ) -> Bool {
    if credential.kind == .refreshToken { return true }
    guard credential.kind == .accessToken,
      let text = record.authorities[CaseFolding.key(credential.clientID)]
    else { return false }
    // absent is an answer: tokens are sent to authorities only, and the text names none.
    do { return issuer.origin != (try Authority(text)).address.server } catch { return false }
  }

  /// The parts that belong to no account are stored as a cache of their own.
  private func keepExtras(of cache: MSALCache, in transaction: GroupTransaction) throws {
    guard !cache.apps.isEmpty || !cache.unknown.isEmpty else { return }
    var kept = try CacheExtras.read(transaction)
    for app in cache.apps {
      let same = { (other: MSALCache.App) in
        other.clientID == app.clientID && other.environment == app.environment
      }
      let former = kept.apps.first(where: same)
      kept.apps.removeAll(where: same)
      kept.apps.append(former.map(app.keepingUses) ?? app)
    }
    for member in cache.unknown {
      let former = kept.unknown.first { $0.name == member.name }
      kept.unknown.removeAll { $0.name == member.name }
      kept.unknown.append(former.map(member.merged(over:)) ?? member)
    }
    try CacheExtras.write(kept, transaction)
  }
}

extension CredentialPayload {
  /// The size of a row, less the lengths of its parts.
  fileprivate static let limit = (1 << 20) - 16

  static func requireStorable(secretBytes: Int, extraBytes: Int) throws(StoreError) {
    guard secretBytes + extraBytes <= limit else { throw .tooLarge(limit: limit) }
  }
}

extension Credential {
  /// Orders two versions of a credential by the time at which they were made.
  fileprivate var version: Int64 {
    max(lastModified?.epochSeconds ?? .min, cachedAt?.epochSeconds ?? .min)
  }
}

extension AccountRecord {
  fileprivate mutating func merge(_ imported: MSALCache.Profile) {
    let index = profiles.firstIndex { CaseFolding.equal($0.tenantID, imported.realm) }
    let profile = Profile(
      tenantID: imported.realm, localAccountID: imported.localAccountID,
      username: imported.username, environment: imported.environment,
      claimsJSON: index.map { profiles[$0].claimsJSON } ?? [], extraJSON: imported.extraJSON)
    if let index { profiles[index] = profile } else { profiles.append(profile) }
  }

  /// Stores the claims of an ID token in the account's profile of its tenant. A token without an
  /// account entity creates a profile: MSAL for Go and the device flow leave such caches.
  fileprivate mutating func takeClaims(_ token: MSALCache.Token) {
    guard let idToken = IDToken(token.secret.reveal()) else { return }
    let realm = token.credential.realm
    if let index = profiles.firstIndex(where: { CaseFolding.equal($0.tenantID, realm) }) {
      profiles[index].claimsJSON = idToken.claimsJSON
    } else if orphanClient.isEmpty {
      profiles.append(
        Profile(
          tenantID: realm, localAccountID: idToken.localAccountID ?? "",
          username: idToken.username ?? "", environment: token.credential.environment,
          claimsJSON: idToken.claimsJSON))
    }
  }

  fileprivate mutating func sortForStorage() {
    profiles.sort { ($0.tenantID, $0.localAccountID) < ($1.tenantID, $1.localAccountID) }
  }
}

extension MSALCache.Token {
  /// The place in the file, which is the same in all versions of a credential of an unknown type.
  fileprivate var foreignIdentity: [UInt8] {
    do {
      let entity = try JSONValue(parsing: extraJSON)
      return JSONValue.array([entity["member"] ?? .null, entity["key"] ?? .null]).bytes
    } catch { return extraJSON }
  }
}
