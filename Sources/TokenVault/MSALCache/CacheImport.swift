import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Stores the content of an MSAL cache in a group.
package struct CacheImport {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }

  package init(_ session: GroupSession) { self.session = session }

  /// Stores all that a cache holds, in one step: matched by fields, unknown fields kept.
  ///
  /// A credential never takes the place of a newer one. Importing an account that was signed out
  /// signs it in again: the user asked for it.
  /// - Parameter preferred: the user name that becomes current when the group has no current
  ///   account; nil for none.
  package func run(
    _ cache: MSALCache, preferred: String? = nil
  ) throws(VaultError) -> ImportReport {
    let sorted = AccountBundle.sorted(cache)
    let device = try SharedDevice(session)
    try device.requireOne(of: sorted.count)
    // What cannot be stored must not leave a group that was made for it.
    try vaultErrors(session.group) { try Self.requireStorable(cache) }
    let madeGroup = try GroupSetup(session).createIfMissing()
    var report = try session.write { transaction in
      var report = ImportReport()
      var tags: [[UInt8]] = []
      for bundle in sorted {
        tags.append(try self.store(bundle, in: transaction, report: &report))
      }
      try device.requireAlone(tags, in: transaction)
      try self.keepExtras(of: cache, in: transaction)
      try self.chooseCurrent(report, preferred: preferred, in: transaction)
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

  /// The account that a bundle belongs to, if the group has it.
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
    return try transaction.account(tag: try transaction.tag(of: bundle.identity))
  }

  /// - Returns: the account's tag.
  private func store(
    _ bundle: AccountBundle, in transaction: GroupTransaction, report: inout ImportReport
  ) throws -> [UInt8] {
    let known = try known(bundle, in: transaction)
    var stored =
      try known
      ?? transaction.insert(
        AccountRecord(
          homeAccountID: bundle.homeAccountID, environment: bundle.environment,
          authorityType: bundle.authorityType, orphanClient: bundle.identity.orphanClient))
    let before = stored.record
    try requireSameIssuer(bundle, before)
    for profile in bundle.profiles { stored.record.merge(profile) }
    for token in bundle.tokens {
      switch try store(token, in: &stored, transaction: transaction) {
      case .stored: report.credentials += 1
      case .older: report.olderCredentials += 1
      case .unchanged: break
      }
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

  /// Where no sign-in says who is asked for an account's new tokens, the issuer of its ID token is:
  /// a file must not lead the refresh tokens that are here to somebody else at the same host.
  private func requireSameIssuer(_ bundle: AccountBundle, _ record: AccountRecord)
    throws(VaultError)
  {
    guard record.authorityType != .b2c, !CloudEnvironment.isKnownCloud(record.environment) else {
      return
    }
    let known = record.profiles.compactMap { IDToken(claimsJSON: $0.claimsJSON)?.issuer }
    for token in bundle.tokens where token.credential.kind == .idToken {
      guard let issuer = IDToken(token.secret.reveal())?.issuer else { continue }
      guard known.allSatisfy({ Self.isSameIssuer(issuer, $0) }) else {
        throw .accountOfOtherIssuer(group: session.group)
      }
    }
  }

  private static func isSameIssuer(_ left: String, _ right: String) -> Bool {
    if left == right { return true }
    // A server of Microsoft's kind issues for many tenants.
    do {
      let (left, right) = (try Authority(left), try Authority(right))
      return left.kind == .entra && right.kind == .entra && left.isSameServer(as: right)
    } catch { return false }
  }

  /// What became of an imported credential.
  private enum Fate { case stored, unchanged, older }

  private func store(
    _ token: MSALCache.Token, in account: inout StoredAccount, transaction: GroupTransaction
  ) throws -> Fate {
    var credential = token.credential
    if case .other(let type) = credential.kind {
      // So that a type of another SDK is never read back as one of ours, and served.
      credential.kind = .other("foreign \(type)")
      credential.keyID = Hexadecimal.encode(try Digest.sha256(token.foreignIdentity))
    }
    // The user asked for the account, also for what a family's token keeps of a client that was
    // signed out (MSAL for iOS and macOS: storing a token ends a client's sign-out).
    account.record.clients[CaseFolding.key(credential.clientID)] = nil
    // A new refresh token deserves a try, whatever became of the old one.
    if credential.kind == .refreshToken { account.record.throttleEntries = [] }
    let secret = Array(token.secret.reveal().utf8)
    for stored in account.record.stored where credential.replaces(stored.credential) {
      if credential.version < stored.credential.version { return .older }
      if credential == stored.credential {
        let present = try transaction.payload(of: stored, in: account)
        if present.secret.reveal() == secret, present.extraJSON == token.extraJSON {
          return .unchanged
        }
      }
    }
    if credential.kind == .idToken { account.record.takeClaims(token) }
    try transaction.store(
      credential, CredentialPayload(secret: Redacted(secret), extraJSON: token.extraJSON),
      in: &account)
    return .stored
  }

  /// What belongs to no account is kept as a cache of its own.
  private func keepExtras(of cache: MSALCache, in transaction: GroupTransaction) throws {
    guard !cache.apps.isEmpty || !cache.unknown.isEmpty else { return }
    var kept = try CacheExtras.read(transaction)
    for app in cache.apps {
      kept.apps.removeAll { $0.clientID == app.clientID && $0.environment == app.environment }
      kept.apps.append(app)
    }
    for member in cache.unknown {
      kept.unknown.removeAll { $0.name == member.name }
      kept.unknown.append(member)
    }
    try CacheExtras.write(kept, transaction)
  }

  private func chooseCurrent(
    _ report: ImportReport, preferred: String?, in transaction: GroupTransaction
  ) throws {
    guard transaction.state.current == nil, let preferred else { return }
    let named = (report.added + report.updated + report.unchanged).filter {
      CaseFolding.equal($0.username, preferred)
    }
    guard named.count == 1, let account = named.first else { return }
    transaction.state.current = try transaction.tag(of: account.identity)
  }
}

extension Payload {
  /// What a row holds, less than the lengths of its parts.
  fileprivate static let limit = (1 << 20) - 16

  static func requireStorable(secretBytes: Int, extraBytes: Int) throws(StoreError) {
    guard secretBytes + extraBytes <= limit else { throw .tooLarge(limit: limit) }
  }
}

extension Credential {
  /// Orders two versions of one credential by when they were made.
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

  /// The claims of a tenant's ID token belong to the account's profile there. A token without an
  /// account entity makes one: MSAL for Go and the device flow leave such caches.
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
  /// What stays the same over two versions of a credential of an unknown type: its place in the
  /// file.
  fileprivate var foreignIdentity: [UInt8] {
    do {
      let entity = try JSONValue(parsing: extraJSON)
      return JSONValue.array([entity["member"] ?? .null, entity["key"] ?? .null]).bytes
    } catch { return extraJSON }
  }
}
