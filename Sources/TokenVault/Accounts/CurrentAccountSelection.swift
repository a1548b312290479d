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
  package func current(client: String) throws(VaultError) -> CurrentAccount {
    // An unchanged result writes nothing. Otherwise two tools that call this after each change of
    // the group would wake each other forever.
    let key = CaseFolding.key(client)
    let known = try session.read { transaction in
      (try self.find(client: client, in: transaction), transaction.state.principals[key])
    }
    if known.0.tag == known.1?.account, known.1?.previousAccount == nil { return known.0.answer }
    return try session.write { transaction in
      let found = try self.find(client: client, in: transaction)
      transaction.state.principals[key] = found.tag.map { GroupState.Principal(account: $0) }
      return found.answer
    }
  }

  private func find(
    client: String, in transaction: GroupTransaction
  ) throws -> (answer: CurrentAccount, tag: [UInt8]?) {
    let found = try account(client: client, in: transaction)
    let principal = transaction.state.principals[CaseFolding.key(client)]
    let answer = CurrentAccount(
      account: found.map { lookup.account($0, in: transaction) },
      previous: try previous(principal, in: transaction))
    return (answer, found?.tag)
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
    _ principal: GroupState.Principal?, in transaction: GroupTransaction
  ) throws -> CurrentAccount.PreviousAccount? {
    guard let principal else { return nil }
    if let stored = try transaction.account(tag: principal.account) {
      return .present(lookup.account(stored, in: transaction))
    }
    guard let account = principal.previousAccount else { return .erased }
    return .left(
      homeAccountID: HomeAccountID(account.homeAccountID), username: account.username,
      environment: account.environment)
  }

  /// Makes an account the current one of the group.
  package func select(_ reference: AccountReference) throws(VaultError) -> Account {
    try session.write { transaction in
      let stored = try self.lookup.stored(reference, in: transaction)
      transaction.state.current = stored.tag
      return self.lookup.account(stored, in: transaction)
    }
  }

  /// Makes an account of the group the one for a directory and everything below it.
  package func select(
    _ reference: AccountReference, in directory: String
  ) throws(VaultError) -> Account {
    let (account, tag) = try session.read {
      let stored = try self.lookup.stored(reference, in: $0)
      return (self.lookup.account(stored, in: $0), stored.tag)
    }
    try DirectoryRules(vaultDirectory: session.configuration.directory)
      .set(.init(group: session.group, account: tag, path: directory))
    return account
  }
}
