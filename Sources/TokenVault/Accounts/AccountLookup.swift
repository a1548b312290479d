package import TokenVaultGroupStore
package import TokenVaultModel

/// Finds the accounts of a group inside a transaction.
package struct AccountLookup: Sendable {
  let group: GroupName

  /// The account that a reference names.
  /// - Throws: ``VaultError/noAccount(_:group:)``, ``VaultError/ambiguousAccount(_:candidates:)``,
  ///   ``VaultError/noAccountForDirectory(_:group:)``, or as ``current(in:)``.
  package func stored(
    _ reference: AccountReference, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    switch reference {
    case .known(let account):
      guard let stored = try transaction.account(of: account) else {
        throw VaultError.noAccount(account.selector, group: group)
      }
      return stored
    case .named(let text): return try named(text, nil, allowsPrefix: true, in: transaction)
    case .whole(let text): return try named(text, nil, allowsPrefix: false, in: transaction)
    case .secret(let place): return try secret(at: place, in: transaction)
    case .qualified(let name, let environment, let text):
      return try named(
        text, Qualified(name: name, environment: environment), allowsPrefix: false, in: transaction)
    case .rule(let rule, let rules): return try account(of: rule, among: rules, in: transaction)
    case .current: return try current(in: transaction)
    }
  }

  private func secret(
    at place: ServiceReference, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let found = place.choose(try all(in: transaction, where: place.mayMean))
    guard found.count <= 1 else {
      throw VaultError.ambiguousAccount(
        place.place,
        candidates: found.map { account($0, in: transaction) }.sorted(by: Account.isOrdered))
    }
    guard let only = found.first else { throw VaultError.noAccount(place.place, group: group) }
    return only
  }

  private func account(
    of rule: AccountRule, among rules: AccountRules, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    // A renewal of the group changes the tags, perhaps after the rule was read.
    for rule in [{ rule }, { try rules.current(rule) }] {
      guard let rule = try rule(), rule.group == group else { continue }
      for tag in rule.accounts {
        if let account = try transaction.account(tag: tag) { return account }
      }
    }
    throw VaultError.noAccountForDirectory(rule.conditions.description, group: group)
  }

  /// The accounts that several references name, without duplicates.
  func stored(
    _ references: [AccountReference], in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    var accounts: [StoredAccount] = []
    for reference in references {
      let account = try stored(reference, in: transaction)
      if !accounts.contains(where: { $0.tag == account.tag }) { accounts.append(account) }
    }
    return accounts
  }

  /// Every account of the group for which `isWanted` returns true.
  /// - Throws: ``StoreError/damaged(rows:)`` if an account cannot be decrypted: a decision about
  ///   all accounts must not omit one.
  func all(
    in transaction: GroupTransaction, where isWanted: (StoredAccount) -> Bool = { _ in true }
  ) throws -> [StoredAccount] {
    var accounts: [StoredAccount] = []
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      if isWanted(account) { accounts.append(account) }
    }
    guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
    return accounts
  }

  /// The group's current account: the selected one, otherwise the only one that the group ever had.
  /// An account that is left when the current one signs out was not chosen, and is not current.
  /// - Throws: ``VaultError/ambiguousCurrentAccount(candidates:group:)``;
  ///   ``VaultError/noCurrentAccount(_:group:)``.
  package func current(in transaction: GroupTransaction) throws -> StoredAccount {
    if let account = try transaction.currentAccount() { return account }
    var isEmpty = true
    let signedIn = try all(in: transaction) {
      isEmpty = false
      return $0.record.isSignedIn
    }
    guard let only = signedIn.first else {
      throw VaultError.noCurrentAccount(isEmpty ? .noAccounts : .allSignedOut, group: group)
    }
    guard !transaction.state.hadSeveralAccounts else {
      throw ambiguousCurrent(signedIn, in: transaction)
    }
    return only
  }

  func ambiguousCurrent(
    _ candidates: [StoredAccount], in transaction: GroupTransaction
  ) -> VaultError {
    .ambiguousCurrentAccount(
      candidates: candidates.map { account($0, in: transaction) }.sorted(by: Account.isOrdered),
      group: group)
  }

  // MARK: By name

  private struct Qualified {
    let name: String
    let environment: String
  }

  /// A name that is not in the directory of names is searched for in every account before it counts
  /// as missing, so that a damaged directory cannot hide an account. The subjects of two users may
  /// differ only in case (OIDC Core section 2); if several accounts match, the one whose id is
  /// spelt exactly like the text is chosen.
  private func named(
    _ text: String, _ qualified: Qualified?, allowsPrefix: Bool, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let folded = CaseFolding.fold(text)
    var found = try transaction.accounts(named: folded).preferring(text)
    // A user name that looks like another account's selector must not shadow that account.
    if found.isEmpty || qualified != nil {
      found = try scan(
        for: text, folded, qualified, allowsPrefix: allowsPrefix, orElse: found, in: transaction)
    }
    // Tokens that were imported with an unresolved environment are not an account.
    let settled = found.filter { !$0.record.environment.isEmpty }
    if !settled.isEmpty { found = settled }
    guard found.count <= 1 else {
      throw VaultError.ambiguousAccount(
        text,
        candidates: found.map { account($0, in: transaction) }.sorted(by: Account.isOrdered))
    }
    guard let account = found.first else { throw VaultError.noAccount(text, group: group) }
    return account
  }

  /// The accounts with the name and the environment or issuer; otherwise those with the whole text
  /// as a name; otherwise those with the text before the @ of a user name; otherwise those with a
  /// name or id that begins with the text.
  private func scan(
    for text: String, _ folded: [UInt8], _ qualified: Qualified?, allowsPrefix: Bool,
    orElse bearers: [StoredAccount], in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    let name = qualified.map { CaseFolding.fold($0.name) }
    var named: [StoredAccount] = []
    var local: [StoredAccount] = []
    var beginning: [StoredAccount] = []
    let beforeAt = folded + [UInt8(ascii: "@")]
    let isLongEnough = allowsPrefix && text.unicodeScalars.count >= Self.shortestPrefix
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      // Tokens without an account are found by their client.
      let identifier = CaseFolding.fold(account.record.shownID)
      let names = account.record.names.union([identifier])
      if let qualified, let name, names.contains(name),
        CloudEnvironment.same(qualified.environment, account.record.environment)
      {
        named.append(account)
      } else {
        let suffix = account.record.issuerSuffix
        if !suffix.isEmpty, names.contains(where: { folded == $0 + suffix }) {
          named.append(account)
        }
      }
      guard !folded.isEmpty else { return }
      if names.contains(where: { $0.starts(with: beforeAt) }) { local.append(account) }
      if isLongEnough, names.contains(where: { $0.starts(with: folded) }) {
        beginning.append(account)
      }
    }
    if !named.isEmpty { return named.preferring(selector: text, name: qualified?.name ?? text) }
    if !bearers.isEmpty { return bearers }
    // An account that cannot be decrypted may be the one that is sought.
    guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
    return local.isEmpty ? beginning.preferring(text) : local
  }

  /// The number of characters of a prefix that names an account.
  private static let shortestPrefix = 3

  // MARK: For callers

  /// The public view of a stored account.
  package func account(_ stored: StoredAccount, in transaction: GroupTransaction) -> Account {
    account(stored.viewed, current: transaction.state.current)
  }

  /// The public view of a stored account.
  /// - Parameter current: The tag of the group's current account.
  func account(_ stored: ViewedAccount, current: [UInt8]?) -> Account {
    let record = stored.record
    return Account(
      homeAccountID: HomeAccountID(record.homeAccountID), username: record.username,
      environment: record.environment, group: group,
      alias: record.alias.isEmpty ? nil : record.alias,
      tenantProfiles: record.tenantProfiles, clientIDs: record.clientIDs,
      isCurrent: current == stored.tag, isSignedIn: record.isSignedIn,
      authorityType: record.authorityType, accessTokenExpiresOn: record.accessTokenExpiresOn,
      isRefreshTokenStored: record.has(.refreshToken),
      issuer: record.knownIssuer, identity: record.identity)
  }
}

extension GroupSession {
  /// The account that a reference names.
  package func account(_ reference: AccountReference) throws(VaultError) -> Account {
    try read { self.lookup.account(try self.lookup.stored(reference, in: $0), in: $0) }
  }
}

extension [StoredAccount] {
  /// The only account that has exactly this selector, otherwise as ``preferring(_:)``. An account
  /// whose issuer is not known has no other text that tells it from those at the same host.
  fileprivate func preferring(selector: String, name: String) -> [StoredAccount] {
    guard count > 1 else { return self }
    let exact = filter { account in
      let issuer = account.record.knownIssuer
      let place = issuer.isEmpty ? account.record.environment : issuer
      return selector.utf8.elementsEqual("\(account.record.shownID)//\(place)".utf8)
    }
    return exact.count == 1 ? exact : preferring(name)
  }

  /// The only account whose id is spelt exactly like the text; all accounts if there is no such
  /// one.
  fileprivate func preferring(_ text: String) -> [StoredAccount] {
    guard count > 1 else { return self }
    let settled = filter { !$0.record.environment.isEmpty }
    let exact = (settled.isEmpty ? self : settled)
      .filter { $0.record.shownID.utf8.elementsEqual(text.utf8) }
    return exact.count == 1 ? exact : self
  }
}

extension AccountRecord {
  /// The end of every text that names the account with its issuer, folded; empty if it has none.
  fileprivate var issuerSuffix: [UInt8] {
    let issuer = knownIssuer
    return issuer.isEmpty ? [] : CaseFolding.fold("//" + issuer)
  }

  /// The id by which the account is found if it has no other name.
  fileprivate var shownID: String { orphanClient.isEmpty ? homeAccountID : orphanClient }

  /// The clients that hold credentials of the account, sorted.
  fileprivate var clientIDs: [String] {
    var clients: [String] = []
    for index in stored.indices where !stored[index].credential.clientID.isEmpty {
      clients.append(stored[index].credential.clientID)
    }
    return clients.count > 1 ? Set(clients).sorted() : clients
  }

  /// The latest expiry of its access tokens, or that of its secret; nil for none.
  fileprivate var accessTokenExpiresOn: Timestamp? {
    var latest: Timestamp?
    for index in stored.indices {
      guard let end = stored[index].credential.expiresOn,
        stored[index].credential.kind == .accessToken || stored[index].credential.kind == .secret
      else { continue }
      latest = max(latest ?? end, end)
    }
    return latest
  }

  /// One profile for each tenant, the home tenant first.
  fileprivate var tenantProfiles: [TenantProfile] {
    let home = HomeAccountID(homeAccountID)
    let homeTenant = home.tenantID
    var profiles: [TenantProfile] = []
    // If a tenant has two entities, the one with an ID token has more information.
    for profile in self.profiles.count > 1
      ? self.profiles.sorted(by: { $0.claimsJSON.count > $1.claimsJSON.count }) : self.profiles
    {
      let tenant = home.tenant(ofRealm: profile.tenantID)
      guard !profiles.contains(where: { CaseFolding.equal($0.tenantID, tenant) }) else { continue }
      profiles.append(
        TenantProfile(
          tenantID: tenant, identifier: profile.localAccountID, username: profile.username,
          isHomeTenantProfile: CaseFolding.equal(tenant, homeTenant),
          claimsJSON: profile.claimsJSON))
    }
    guard profiles.count > 1 else { return profiles }
    return profiles.sorted {
      $0.isHomeTenantProfile != $1.isHomeTenantProfile
        ? $0.isHomeTenantProfile : ($0.tenantID, $0.identifier) < ($1.tenantID, $1.identifier)
    }
  }
}

extension Account {
  static func isOrdered(_ left: Account, _ right: Account) -> Bool {
    (left.username.lowercased(), left.identifier.lowercased(), left.environment)
      < (right.username.lowercased(), right.identifier.lowercased(), right.environment)
  }
}
