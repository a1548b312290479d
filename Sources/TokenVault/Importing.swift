import GroupStore
import VaultCrypto
public import VaultModel

/// What an import brought.
public struct ImportReport: Sendable {
  /// Accounts that were not there before.
  public internal(set) var added: [Account] = []
  /// Accounts that were there and got something newer.
  public internal(set) var updated: [Account] = []
  /// Accounts that were there, with all that the cache has.
  public internal(set) var unchanged: [Account] = []
  /// Credentials that were stored.
  public internal(set) var credentials = 0
  /// Credentials of which the group has a newer one.
  public internal(set) var olderCredentials = 0
  /// Whether the group was made for it.
  public internal(set) var madeGroup = false
}

extension VaultCore {
  /// Stores all that a cache holds, in one step: matched by fields, unknown fields kept.
  ///
  /// A credential never takes the place of a newer one. Importing an account that was signed out
  /// signs it in again: the user asked for it.
  /// - Parameter preferred: the user name that becomes current when the group has no current
  ///   account; nil for none.
  package func importCache(
    _ cache: MSALCache, preferred: String? = nil
  ) throws(VaultError) -> ImportReport {
    let sorted = Self.byAccount(cache)
    try requireRoom(for: sorted.map(\.identity))
    let madeGroup = try createIfMissing()
    var report = try write { transaction in
      var report = ImportReport()
      for bundle in sorted { try self.store(bundle, in: transaction, report: &report) }
      try self.keepExtras(of: cache, in: transaction)
      try self.chooseCurrent(report, preferred: preferred, in: transaction)
      return report
    }
    report.madeGroup = madeGroup
    return report
  }

  /// A shared device has exactly one account.
  func requireRoom(for identities: [AccountIdentity]) throws(VaultError) {
    guard try deviceInformation().mode == .shared else { return }
    guard Set(identities).count <= 1 else {
      throw .sharedDeviceTakesOne(given: Set(identities).count)
    }
    let listing = try accounts(.all)
    guard listing.damagedRows == 0 else {
      throw .store(.damaged(rows: listing.damagedRows), group: group)
    }
    if let other = listing.accounts.first(where: { !identities.contains($0.identity) }) {
      throw .sharedDeviceOccupied(by: other)
    }
  }

  /// All that a cache has of one account.
  private struct Bundle {
    let identity: AccountIdentity
    let homeAccountID: String
    let environment: String
    let authorityType: AuthorityType
    var profiles: [MSALCache.Profile] = []
    var tokens: [MSALCache.Token] = []
  }

  /// Sorts a cache's content by account. What names an account goes with it, so that its sign-out
  /// takes everything; tokens without one are kept together by client.
  private static func byAccount(_ cache: MSALCache) -> [Bundle] {
    var bundles: [AccountIdentity: Bundle] = [:]
    var types: [[String]: AuthorityType] = [:]
    func bundle(
      _ id: String, _ environment: String, _ type: AuthorityType, client: String
    ) -> Bundle {
      let identity = AccountIdentity(
        homeAccountID: HomeAccountID(id), environment: environment, authorityType: type,
        orphanClient: client)
      return bundles[identity]
        ?? Bundle(
          identity: identity, homeAccountID: id, environment: environment, authorityType: type)
    }
    for profile in cache.profiles {
      let type = AuthorityType(
        cacheText: profile.authorityType, environment: profile.environment)
      types[[profile.homeAccountID.lowercased(), CloudEnvironment.canonical(profile.environment)]] =
        type
      var own = bundle(profile.homeAccountID, profile.environment, type, client: "")
      own.profiles.append(profile)
      bundles[own.identity] = own
    }
    for token in cache.tokens {
      let credential = token.credential
      let type =
        types[[
          token.homeAccountID.lowercased(), CloudEnvironment.canonical(credential.environment),
        ]]
        ?? AuthorityType(cacheText: "", environment: credential.environment)
      var own = bundle(
        token.homeAccountID, credential.environment, type, client: credential.clientID)
      own.tokens.append(token)
      bundles[own.identity] = own
    }
    return bundles.values.sorted {
      ($0.homeAccountID, $0.environment, $0.identity.orphanClient)
        < ($1.homeAccountID, $1.environment, $1.identity.orphanClient)
    }
  }

  private func store(
    _ bundle: Bundle, in transaction: GroupTransaction, report: inout ImportReport
  ) throws {
    let known = try transaction.account(tag: try transaction.tag(of: bundle.identity))
    var stored =
      try known
      ?? transaction.insert(
        AccountSheet(
          homeAccountID: bundle.homeAccountID, environment: bundle.environment,
          authorityType: bundle.authorityType, orphanClient: bundle.identity.orphanClient))
    let before = stored.sheet
    for profile in bundle.profiles { stored.sheet.merge(profile) }
    for token in bundle.tokens {
      if try store(token, in: &stored, transaction: transaction) {
        report.credentials += 1
      } else {
        report.olderCredentials += 1
      }
    }
    stored.sheet.sortForStorage()
    try transaction.update(&stored)
    let account = account(stored, in: transaction)
    if known == nil {
      report.added.append(account)
    } else if stored.sheet != before {
      report.updated.append(account)
    } else {
      report.unchanged.append(account)
    }
  }

  private func store(
    _ token: MSALCache.Token, in account: inout StoredAccount, transaction: GroupTransaction
  ) throws -> Bool {
    var credential = token.credential
    if case .other = credential.kind {
      credential.keyID = Hexadecimal.encode(try Digest.sha256(token.extraJSON))
    }
    let secret = Array(token.secret.reveal().utf8)
    for stored in account.sheet.stored where credential.replaces(stored.credential) {
      let isOlder = (credential.version, 0) < (stored.credential.version, 0)
      if isOlder { return false }
      if credential == stored.credential {
        let present = try transaction.payload(of: stored, in: account)
        if present.secret.reveal() == secret, present.extraJSON == token.extraJSON { return false }
      }
    }
    if credential.kind == .idToken { account.sheet.takeClaims(token) }
    try transaction.store(
      credential, Payload(secret: Redacted(secret), extraJSON: token.extraJSON), in: &account)
    // Storing a token ends a client's sign-out (MSAL for iOS and macOS).
    account.sheet.clients[CaseFolding.key(credential.clientID)] = nil
    return true
  }

  /// What belongs to no account is kept as a cache of its own.
  private func keepExtras(of cache: MSALCache, in transaction: GroupTransaction) throws {
    guard !cache.apps.isEmpty || !cache.unknown.isEmpty else { return }
    var kept = try extras(in: transaction)
    for app in cache.apps {
      kept.apps.removeAll { $0.clientID == app.clientID && $0.environment == app.environment }
      kept.apps.append(app)
    }
    for member in cache.unknown {
      kept.unknown.removeAll { $0.name == member.name }
      kept.unknown.append(member)
    }
    try transaction.setExtras(try kept.json())
  }

  func extras(in transaction: GroupTransaction) throws -> MSALCache {
    let bytes = try transaction.extras()
    return bytes.isEmpty ? MSALCache() : try MSALCache(json: bytes)
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

extension Credential {
  /// Orders two versions of one credential by when they were made.
  fileprivate var version: Int64 {
    max(lastModified?.epochSeconds ?? .min, cachedAt?.epochSeconds ?? .min)
  }
}

extension AccountSheet {
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
