package import TokenVaultGroupStore
public import TokenVaultModel

/// The current account for one client, with the one it saw before.
public struct CurrentAccount: Sendable {
  /// The account to use; nil when nobody is signed in.
  public let account: Account?
  /// The account the client was told of the last time. It may be the same one: compare.
  public let previous: PreviousAccount?

  /// The account that was current before.
  public enum PreviousAccount: Sendable {
    /// It is still in the group.
    case present(Account)
    /// A shared device signed it out; who it was is told once.
    case left(homeAccountID: HomeAccountID, username: String, environment: String)
    /// It was erased, with its name.
    case erased
  }
}

extension VaultCore {
  /// The group's current account: the one that was switched to, else the only one signed in.
  package func currentAccount() throws(VaultError) -> Account {
    try read { transaction in
      self.account(try self.current(in: transaction), in: transaction)
    }
  }

  package func current(in transaction: GroupTransaction) throws -> StoredAccount {
    if let account = try transaction.currentAccount() { return account }
    var signedIn: [StoredAccount] = []
    var seen = 0
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      seen += 1
      if account.record.isSignedIn { signedIn.append(account) }
    }
    guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
    guard signedIn.count <= 1 else {
      throw VaultError.ambiguousCurrentAccount(
        candidates: signedIn.map { account($0, in: transaction) }.sorted(by: Account.isOrdered),
        group: group)
    }
    guard let only = signedIn.first else {
      throw VaultError.noCurrentAccount(seen == 0 ? .noAccounts : .allSignedOut, group: group)
    }
    return only
  }

  /// MSAL's getCurrentAccount for a client: gives the current account and the one the client was
  /// told of before, and remembers the answer. Several candidates are an error which leaves what
  /// is remembered as it was.
  @discardableResult
  package func currentAccount(client: String) throws(VaultError) -> CurrentAccount {
    // A call that finds nothing new writes nothing: two tools that ask whenever the other changed
    // the group would else wake each other for ever.
    let key = CaseFolding.key(client)
    let known = try read { transaction in
      (
        try self.lookAtCurrent(client: client, in: transaction),
        transaction.state.principals[key]
      )
    }
    if known.0.tag == known.1?.account, known.1?.previousAccount == nil { return known.0.answer }
    return try write { transaction in
      let found = try self.lookAtCurrent(client: client, in: transaction)
      transaction.state.principals[key] = found.tag.map { GroupState.Principal(account: $0) }
      return found.answer
    }
  }

  private func lookAtCurrent(
    client: String, in transaction: GroupTransaction
  ) throws -> (answer: CurrentAccount, tag: [UInt8]?) {
    let candidates = try self.candidates(client: client, in: transaction)
    guard candidates.count <= 1 else {
      throw VaultError.ambiguousCurrentAccount(
        candidates: candidates.map { self.account($0, in: transaction) }
          .sorted(by: Account.isOrdered),
        group: self.group)
    }
    let principal = transaction.state.principals[CaseFolding.key(client)]
    let answer = CurrentAccount(
      account: candidates.first.map { self.account($0, in: transaction) },
      previous: try self.previous(principal, in: transaction))
    return (answer, candidates.first?.tag)
  }

  private func candidates(
    client: String, in transaction: GroupTransaction
  ) throws -> [StoredAccount] {
    let client = try self.client(client, in: transaction)
    if let current = try transaction.currentAccount(), current.record.isSignedIn(client) {
      return [current]
    }
    var found: [StoredAccount] = []
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      if account.record.isSignedIn(client) { found.append(account) }
    }
    guard damaged == 0 else { throw StoreError.damaged(rows: damaged) }
    return found
  }

  private func previous(
    _ principal: GroupState.Principal?, in transaction: GroupTransaction
  ) throws -> CurrentAccount.PreviousAccount? {
    guard let principal else { return nil }
    if let stored = try transaction.account(tag: principal.account) {
      return .present(account(stored, in: transaction))
    }
    guard let previousAccount = principal.previousAccount else { return .erased }
    return .left(
      homeAccountID: HomeAccountID(previousAccount.homeAccountID),
      username: previousAccount.username,
      environment: previousAccount.environment)
  }

  /// Makes an account the group's current one.
  @discardableResult
  package func switchTo(_ text: String) throws(VaultError) -> Account {
    try write { transaction in
      let stored = try self.resolve(text, in: transaction)
      transaction.state.current = stored.tag
      return self.account(stored, in: transaction)
    }
  }

  /// Gives an account an alias, or takes it away with an empty one.
  @discardableResult
  package func setAlias(_ alias: String, of text: String) throws(VaultError) -> Account {
    guard alias.utf8.count <= 128, !alias.utf8.contains(where: { $0 < 0x21 || $0 == 0x7f }) else {
      throw .invalid(.alias)
    }
    return try write { transaction in
      var stored = try self.resolve(text, in: transaction)
      if !alias.isEmpty {
        for tag in try transaction.tags(named: CaseFolding.fold(alias)) where tag != stored.tag {
          guard let other = try transaction.account(tag: tag) else {
            throw StoreError.damaged(rows: nil)
          }
          throw VaultError.aliasTaken(alias, by: self.account(other, in: transaction))
        }
      }
      stored.record.alias = alias
      try transaction.update(&stored)
      return self.account(stored, in: transaction)
    }
  }
}
