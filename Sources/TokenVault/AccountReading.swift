package import TokenVaultGroupStore
public import TokenVaultModel

/// The accounts of a group, and why there are none.
public struct AccountListing: Sendable {
  /// The accounts that fulfil the query, by user name, then identifier, then environment.
  public let accounts: [Account]
  /// Why `accounts` is empty; nil when it is not.
  public let emptyReason: EmptyReason?
  /// Accounts whose rows do not open; they are in no answer, and nothing of them was deleted.
  public let damagedRows: Int
}

extension VaultCore {
  /// All accounts that fulfil a query.
  package func accounts(_ query: AccountQuery) throws(VaultError) -> AccountListing {
    do {
      return try read { transaction in
        let selection = try self.selection(query, in: transaction)
        var found: [Account] = []
        // One at a time: what is not needed of an account is gone before the next is read.
        let damaged = try transaction.forEachAccount { stored throws(StoreError) in
          if let account = selection(stored) { found.append(account) }
        }
        return AccountListing(
          accounts: found.inOrder(),
          emptyReason: found.isEmpty ? try self.reason(query, in: transaction) : nil,
          damagedRows: damaged)
      }
    } catch .noGroup {
      let others = try GroupFiles.names(
        in: configuration.groupsDirectory, suffix: ".vault")
      return AccountListing(
        accounts: [],
        emptyReason: others.isEmpty ? .groupDoesNotExist : .onlyInOtherGroups(others),
        damagedRows: 0)
    }
  }

  /// Gives what the vault shows of a stored account that fulfils a query, nil for others. Whether
  /// one is signed in is asked for the client, where the query names one: a family's refresh token
  /// signs clients in that hold nothing themselves.
  func selection(
    _ query: AccountQuery, in transaction: GroupTransaction
  ) throws -> (StoredAccount) -> Account? {
    func shown(_ stored: StoredAccount, _ query: AccountQuery) -> Account? {
      let account = account(stored, in: transaction)
      return query.matches(account) ? account : nil
    }
    guard let clientID = query.clientID, let signedIn = query.signedIn else {
      return { shown($0, query) }
    }
    let client = try client(clientID, in: transaction)
    var rest = query
    rest.clientID = nil
    rest.signedIn = nil
    return { [rest] in $0.record.isSignedIn(client) == signedIn ? shown($0, rest) : nil }
  }

  private func reason(
    _ query: AccountQuery, in transaction: GroupTransaction
  ) throws -> EmptyReason {
    var without = query
    without.clientID = nil
    let others = try selection(without, in: transaction)
    var (isEmpty, allSignedOut, othersFulfil) = (true, true, false)
    _ = try transaction.forEachAccount { stored throws(StoreError) in
      isEmpty = false
      if stored.record.isSignedIn { allSignedOut = false }
      if others(stored) != nil { othersFulfil = true }
    }
    if isEmpty { return .noAccounts }
    if query.signedIn == true, allSignedOut { return .allSignedOut }
    return query.clientID != nil && othersFulfil ? .noneForClient : .noneMatches
  }

  /// The account that a name, alias, home account id or unique prefix of one means; or one of these
  /// but a prefix, with the environment behind it (``Account/selector``).
  ///
  /// A name that the directory of names does not have is looked for in every account before it is
  /// said not to exist, so that a damaged directory cannot hide an account. Subjects of two people
  /// may differ only in case (OIDC Core section 2): of several accounts the one whose id is spelt
  /// like the text is meant.
  package func resolve(
    _ text: String, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let folded = CaseFolding.fold(text)
    var found = try transaction.accounts(named: folded).preferring(text)
    // A name that looks like another account's selector does not take its place.
    if found.isEmpty || Account.split(selector: text) != nil {
      found = try scan(for: text, folded: folded, orElse: found, in: transaction)
    }
    // What came before it was known where its account lives is no account to choose.
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

  /// The accounts that the text names with their environment, else those that bear the whole text
  /// as a name, else those whose id begins like it.
  private func scan(
    for text: String, folded: [UInt8], orElse bearers: [StoredAccount],
    in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    let qualified = Account.split(selector: text)
    let name = qualified.map { CaseFolding.fold($0.name) }
    var named: [StoredAccount] = []
    var beginning: [StoredAccount] = []
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      // Tokens without an account are asked for by their client.
      let identifier = CaseFolding.fold(account.record.shownID)
      if let qualified, let name, name == identifier || account.record.names.contains(name),
        CloudEnvironment.same(qualified.environment, account.record.environment)
      {
        named.append(account)
      }
      if !folded.isEmpty, identifier.starts(with: folded) { beginning.append(account) }
    }
    if let qualified, !named.isEmpty { return named.preferring(qualified.name) }
    if !bearers.isEmpty { return bearers }
    // An account that does not open may be the one.
    guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
    return beginning.preferring(text)
  }

  /// What the vault shows of a stored account.
  package func account(_ stored: StoredAccount, in transaction: GroupTransaction) -> Account {
    let record = stored.record
    let home = HomeAccountID(record.homeAccountID)
    let credentials = record.stored.map(\.credential)
    let ends = credentials.filter { $0.kind == .accessToken }.compactMap(\.expiresOn)
    return Account(
      homeAccountID: home, username: record.username, environment: record.environment,
      group: group, alias: record.alias.isEmpty ? nil : record.alias,
      tenantProfiles: record.tenantProfiles,
      clientIDs: Set(credentials.map(\.clientID)).filter { !$0.isEmpty }.sorted(),
      isCurrent: transaction.state.current == stored.tag, isSignedIn: record.isSignedIn,
      authorityType: record.authorityType, accessTokenExpiresOn: ends.max(),
      isRefreshTokenStored: credentials.contains { $0.kind == .refreshToken },
      identity: record.identity)
  }
}

extension [StoredAccount] {
  /// The one among several whose id is spelt exactly like the text; all where there is none.
  fileprivate func preferring(_ text: String) -> [StoredAccount] {
    guard count > 1 else { return self }
    let settled = filter { !$0.record.environment.isEmpty }
    let exact = (settled.isEmpty ? self : settled)
      .filter { $0.record.shownID.utf8.elementsEqual(text.utf8) }
    return exact.count == 1 ? exact : self
  }
}

extension AccountRecord {
  /// What the account is asked for by when it has no other name.
  fileprivate var shownID: String { orphanClient.isEmpty ? homeAccountID : orphanClient }
}

extension Account {
  /// The text that means this account and no other of its group: `ID//ENVIRONMENT`, ID being the
  /// home account id, or the client of tokens that came without an account.
  public var selector: String {
    (identifier.isEmpty ? identity.orphanClient : identifier) + "//" + environment
  }

  /// No host has a slash, so the last two of them separate.
  fileprivate static func split(selector: String) -> (name: String, environment: String)? {
    let bytes = selector.utf8
    let slash = UInt8(ascii: "/")
    guard let last = bytes.lastIndex(of: slash), last > bytes.startIndex,
      bytes[bytes.index(before: last)] == slash
    else { return nil }
    return (
      String(selector[..<bytes.index(before: last)]), String(selector[bytes.index(after: last)...])
    )
  }
}

extension AccountRecord {
  /// One profile for each tenant, the home tenant's first.
  fileprivate var tenantProfiles: [TenantProfile] {
    let home = HomeAccountID(homeAccountID)
    var profiles: [TenantProfile] = []
    // Of two entities of one tenant the one whose ID token is known tells more.
    for profile in self.profiles.sorted(by: { $0.claimsJSON.count > $1.claimsJSON.count }) {
      let tenant = home.tenant(ofRealm: profile.tenantID)
      guard !profiles.contains(where: { CaseFolding.equal($0.tenantID, tenant) }) else { continue }
      profiles.append(
        TenantProfile(
          tenantID: tenant, identifier: profile.localAccountID, username: profile.username,
          isHomeTenantProfile: CaseFolding.equal(tenant, home.tenantID),
          claimsJSON: profile.claimsJSON))
    }
    return profiles.sorted {
      $0.isHomeTenantProfile != $1.isHomeTenantProfile
        ? $0.isHomeTenantProfile : ($0.tenantID, $0.identifier) < ($1.tenantID, $1.identifier)
    }
  }

  /// Signed in for at least one client. A family's refresh token counts when the client it was
  /// issued to has signed out, too: the family's other clients go on using it.
  var isSignedIn: Bool {
    stored.contains { $0.credential.kind == .secret }
      || clients.values.contains(.signedIn)
      || stored.contains {
        $0.credential.kind == .refreshToken
          && (!$0.credential.familyID.isEmpty
            || clients[CaseFolding.key($0.credential.clientID)] != .signedOut)
      }
  }

  /// Signed in for one client: it holds a refresh token of its own or of its family, or said so
  /// itself; a sign-out of the client wins over any token (MSAL for iOS and macOS).
  func isSignedIn(_ client: Client) -> Bool {
    switch clients[CaseFolding.key(client.id)] {
    case .signedOut: false
    case .signedIn: true
    case nil:
      stored.contains {
        guard $0.credential.kind == .refreshToken else { return false }
        return CaseFolding.equal($0.credential.clientID, client.id)
          || !$0.credential.familyID.isEmpty && client.mayBeInFamily(at: environment)
      }
    }
  }
}

/// A client, and what the imported caches know of it.
struct Client {
  let id: String
  private let apps: [MSALCache.App]

  init(_ id: String, among apps: [MSALCache.App]) {
    self.id = id
    self.apps = apps.filter { CaseFolding.equal($0.clientID, id) }
  }

  /// Whether the Microsoft family's refresh token may serve the client: metadata without a family
  /// says no, no metadata says that nobody has tried.
  func mayBeInFamily(at environment: String) -> Bool {
    let known = apps.filter { CloudEnvironment.same($0.environment, environment) }
    return known.isEmpty || known.contains { !$0.familyID.isEmpty }
  }
}

extension VaultCore {
  func client(_ id: String, in transaction: GroupTransaction) throws -> Client {
    Client(id, among: try extras(in: transaction).apps)
  }
}

extension Account {
  static func isOrdered(_ left: Account, _ right: Account) -> Bool {
    (left.username.lowercased(), left.identifier.lowercased(), left.environment)
      < (right.username.lowercased(), right.identifier.lowercased(), right.environment)
  }
}

extension [Account] {
  /// Sorted as ``Account/isOrdered(_:_:)`` says; the names are folded once and not at each
  /// comparison.
  func inOrder() -> [Account] {
    let keys = map { ($0.username.lowercased(), $0.identifier.lowercased(), $0.environment) }
    return indices.sorted { keys[$0] < keys[$1] }.map { self[$0] }
  }
}
