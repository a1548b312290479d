package import TokenVaultGroupStore
package import TokenVaultModel

/// Which account a request is about.
package enum AccountChoice: Hashable, Sendable {
  /// A name, alias, home account id or unique prefix of one.
  case named(String)
  /// The account that the group gave out before; found without a look at any other.
  case known(Account)
  /// The account of the directory rule at this path.
  case rule(account: [UInt8], directory: String)
  /// The group's current account.
  case current
}

extension VaultCore {
  package func stored(
    _ choice: AccountChoice, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    switch choice {
    case .named(let text): return try resolve(text, in: transaction)
    case .known(let account):
      guard
        let stored = try transaction.account(tag: try transaction.tag(of: account.identity))
      else { throw VaultError.noAccount(account.selector, group: group) }
      return stored
    case .current: return try current(in: transaction)
    case .rule(let tag, let directory):
      guard let account = try transaction.account(tag: tag) else {
        throw VaultError.noAccountForDirectory(directory, group: group)
      }
      return account
    }
  }

  /// The account that a choice comes to.
  package func account(_ choice: AccountChoice) throws(VaultError) -> Account {
    try read { self.account(try self.stored(choice, in: $0), in: $0) }
  }

  /// A stored token of the chosen account, if one fulfils the request.
  package func token(
    _ request: TokenRequest, of choice: AccountChoice
  ) throws(VaultError) -> TokenResult {
    try read { try self.token(request, of: self.stored(choice, in: $0), in: $0) }
  }

  /// Makes a directory and everything below it use an account of this group.
  package func bind(directory: String, to text: String) throws(VaultError) -> Account {
    let (account, tag) = try read {
      let stored = try self.resolve(text, in: $0)
      return (self.account(stored, in: $0), stored.tag)
    }
    try DirectoryRules(vaultDirectory: configuration.directory)
      .set(.init(group: group, account: tag, path: directory))
    return account
  }
}
