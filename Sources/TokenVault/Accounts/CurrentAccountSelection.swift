import TokenVaultGroupStore
package import TokenVaultModel

/// Reads and changes the current account of a group.
package struct CurrentAccountSelection {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }

  package init(_ session: GroupSession) { self.session = session }

  /// MSAL's getCurrentAccount for a client: the current account, and the account last returned to
  /// that client. The result is recorded. Candidates of which none was chosen are an error, which
  /// changes nothing.
  ///
  /// The group keeps nothing of an erased account. On a shared device, the process to which the
  /// account was returned has its name in memory; any other learns only that it was signed out.
  package func current(client: String) throws(VaultError) -> CurrentAccount {
    let key = CaseFolding.key(client)
    let isShared = try DeviceInformation(session.configuration).isShared
    let seen = isShared ? session.seenPrincipal(of: key) : nil
    let answer = try recorded(client, key, seen)
    session.notePrincipal(answer.account, of: key)
    return answer
  }

  private func recorded(
    _ client: String, _ key: String, _ seen: Account?
  ) throws(VaultError) -> CurrentAccount {
    // An unchanged result writes nothing. Otherwise two tools that call this after each change of
    // the group would wake each other forever.
    let known = try session.read { transaction in
      (try self.find(client, seen, in: transaction), transaction.state.principals[key])
    }
    if known.0.principal == known.1 { return known.0.answer }
    return try session.write { transaction in
      let found = try self.find(client, seen, in: transaction)
      transaction.state.principals[key] = found.principal
      return found.answer
    }
  }

  private func find(
    _ client: String, _ seen: Account?, in transaction: GroupTransaction
  ) throws -> (answer: CurrentAccount, principal: GroupState.Principal?) {
    let found = try account(client: client, in: transaction)
    let principal = transaction.state.principals[CaseFolding.key(client)]
    let answer = CurrentAccount(
      account: found.map { lookup.account($0, in: transaction) },
      previous: try previous(principal, seen, in: transaction))
    return (answer, found.map { GroupState.Principal(account: $0.tag) })
  }

  /// The group's current account if the client is signed in to it, otherwise the only account of
  /// the client. After a sign-out of the current account, another one must be chosen first.
  private func account(
    client: String, in transaction: GroupTransaction
  ) throws -> StoredAccount? {
    let family = try FamilyClient(client, in: transaction)
    let current = try transaction.currentAccount()
    if let current, current.record.isSignedIn(family) { return current }
    let hasSignedOut =
      current.map { $0.record.clients[CaseFolding.key(client)] == .signedOut }
      ?? transaction.state.hadSeveralAccounts
    let candidates = try lookup.all(in: transaction) { $0.record.isSignedIn(family) }
    guard candidates.count <= 1, candidates.isEmpty || !hasSignedOut else {
      throw lookup.ambiguousCurrent(candidates, in: transaction)
    }
    return candidates.first
  }

  private func previous(
    _ principal: GroupState.Principal?, _ seen: Account?, in transaction: GroupTransaction
  ) throws -> CurrentAccount.PreviousAccount? {
    guard let principal else { return nil }
    if let tag = principal.account, let stored = try transaction.account(tag: tag) {
      return .present(lookup.account(stored, in: transaction))
    }
    // The account may have been signed in again, and then it was not the last one returned.
    guard let seen, try transaction.account(of: seen) == nil else { return .erased }
    return .left(
      homeAccountID: seen.homeAccountID, username: seen.username, environment: seen.environment)
  }

  /// Makes an account the current one of the group.
  package func select(_ reference: AccountReference) throws(VaultError) -> Account {
    try session.write { transaction in
      let stored = try self.lookup.stored(reference, in: transaction)
      transaction.state.makeCurrent(stored.tag)
      return self.lookup.account(stored, in: transaction)
    }
  }

  /// The account that was the current one of the group before; nil if there was none, or if it was
  /// signed out.
  package func previous() throws(VaultError) -> Account? {
    try session.read { transaction in
      guard let tag = transaction.state.previous, let stored = try transaction.account(tag: tag)
      else { return nil }
      return self.lookup.account(stored, in: transaction)
    }
  }

  /// Makes an account of the group the one for a directory and everything below it.
  package func select(
    _ reference: AccountReference, in directory: String
  ) throws(VaultError) -> Account {
    var conditions = RuleConditions()
    conditions.directory = directory
    return try setRule(for: reference, where: conditions)
  }

  /// Makes an account of the group the one that is used, or never used, where the conditions hold.
  package func setRule(
    for reference: AccountReference, where conditions: RuleConditions, isDenial: Bool = false
  ) throws(VaultError) -> Account {
    let rules = AccountRules(vaultDirectory: session.configuration.directory)
    var (account, tag) = try tagged(reference)
    while true {
      try rules.set(
        AccountRule(group: session.group, account: tag, conditions, isDenial: isDenial))
      // A renewal that ended meanwhile did not change the tag in a rule that came after it.
      let present = try tagged(.known(account))
      if present.tag == tag { return account }
      (account, tag) = present
    }
  }

  private func tagged(
    _ reference: AccountReference
  ) throws(VaultError) -> (account: Account, tag: [UInt8]) {
    try session.read {
      let stored = try self.lookup.stored(reference, in: $0)
      return (self.lookup.account(stored, in: $0), stored.tag)
    }
  }
}

extension GroupSession {
  /// Whether a rule is about an account of this group.
  package func names(_ rule: AccountRule, _ account: Account) throws(VaultError) -> Bool {
    guard rule.group == group else { return false }
    return try read { transaction in
      try transaction.account(of: account).map { rule.accounts.contains($0.tag) } ?? false
    }
  }
}
