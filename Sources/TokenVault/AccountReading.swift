package import GroupStore
public import VaultModel

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
        var all: [Account] = []
        let damaged = try transaction.forEachAccount { stored throws(StoreError) in
          all.append(self.account(stored, in: transaction))
        }
        let found = all.filter(query.matches).sorted(by: Account.isOrdered)
        return AccountListing(
          accounts: found, emptyReason: found.isEmpty ? Self.reason(query, all) : nil,
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

  private static func reason(_ query: AccountQuery, _ all: [Account]) -> EmptyReason {
    if all.isEmpty { return .noAccounts }
    if query.signedIn == true, !all.contains(where: \.isSignedIn) { return .allSignedOut }
    if query.clientID != nil {
      var without = query
      without.clientID = nil
      if all.contains(where: without.matches) { return .noneForClient }
    }
    return .noneMatches
  }

  /// The account that a name, alias, home account id or unique prefix of one means.
  ///
  /// A name that the directory of names does not have is looked for in every account before it is
  /// said not to exist, so that a damaged directory cannot hide an account.
  package func resolve(
    _ text: String, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    let folded = CaseFolding.fold(text)
    var found: [StoredAccount] = []
    for tag in try transaction.tags(named: folded) {
      guard let account = try transaction.account(tag: tag),
        account.sheet.names.contains(folded)
      else { throw StoreError.damaged(rows: nil) }
      found.append(account)
    }
    if found.isEmpty { found = try scan(for: text, folded: folded, in: transaction) }
    guard found.count <= 1 else {
      throw VaultError.ambiguousAccount(
        text,
        candidates: found.map { account($0, in: transaction) }.sorted(by: Account.isOrdered))
    }
    guard let account = found.first else { throw VaultError.noAccount(text, group: group) }
    return account
  }

  private func scan(
    for text: String, folded: [UInt8], in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    var found: [StoredAccount] = []
    var isListed = true
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      if account.sheet.names.contains(folded) { isListed = false }
      let identifier = CaseFolding.fold(account.sheet.homeAccountID)
      if !folded.isEmpty, identifier.starts(with: folded) { found.append(account) }
    }
    // The directory did not have a name that an account bears, or an account that does not open
    // may bear it.
    guard isListed, damaged == 0 || !found.isEmpty else {
      throw StoreError.damaged(rows: damaged == 0 ? nil : damaged)
    }
    return found
  }

  /// What the vault shows of a stored account.
  package func account(_ stored: StoredAccount, in transaction: GroupTransaction) -> Account {
    let sheet = stored.sheet
    let home = HomeAccountID(sheet.homeAccountID)
    let profiles = sheet.profiles.map { profile in
      TenantProfile(
        tenantID: profile.tenantID, identifier: profile.localAccountID,
        username: profile.username,
        isHomeTenantProfile: CaseFolding.equal(profile.tenantID, home.tenantID),
        claimsJSON: profile.claimsJSON)
    }.sorted {
      $0.isHomeTenantProfile != $1.isHomeTenantProfile
        ? $0.isHomeTenantProfile : ($0.tenantID, $0.identifier) < ($1.tenantID, $1.identifier)
    }
    let credentials = sheet.stored.map(\.credential)
    let ends = credentials.filter { $0.kind == .accessToken }.compactMap(\.expiresOn)
    return Account(
      homeAccountID: home, username: sheet.username, environment: sheet.environment,
      group: group, alias: sheet.alias.isEmpty ? nil : sheet.alias, tenantProfiles: profiles,
      clientIDs: Set(credentials.map(\.clientID)).filter { !$0.isEmpty }.sorted(),
      isCurrent: transaction.state.current == stored.tag, isSignedIn: sheet.isSignedIn,
      authorityType: sheet.authorityType, accessTokenExpiresOn: ends.max(),
      isRefreshTokenStored: credentials.contains { $0.kind == .refreshToken },
      identity: sheet.identity)
  }
}

extension AccountSheet {
  /// Signed in for at least one client.
  var isSignedIn: Bool {
    stored.contains { $0.credential.kind == .secret }
      || clients.values.contains(.signedIn)
      || stored.contains {
        $0.credential.kind == .refreshToken
          && clients[CaseFolding.key($0.credential.clientID)] != .signedOut
      }
  }

  /// Signed in for one client: it holds a refresh token of its own or of its family, or said so
  /// itself; a sign-out of the client wins over any token (MSAL for iOS and macOS).
  func isSignedIn(client: String) -> Bool {
    switch clients[CaseFolding.key(client)] {
    case .signedOut: false
    case .signedIn: true
    case nil:
      stored.contains {
        $0.credential.kind == .refreshToken
          && (!$0.credential.familyID.isEmpty
            || CaseFolding.equal($0.credential.clientID, client))
      }
    }
  }
}

extension Account {
  static func isOrdered(_ left: Account, _ right: Account) -> Bool {
    (left.username.lowercased(), left.identifier.lowercased(), left.environment)
      < (right.username.lowercased(), right.identifier.lowercased(), right.environment)
  }
}
