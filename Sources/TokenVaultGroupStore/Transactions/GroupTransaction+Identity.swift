import TokenVaultCrypto
package import TokenVaultModel

// The identity of an account of an OpenID Connect provider contains its issuer. Accounts that were
// stored without one keep their identity until the issuer is known.
extension GroupTransaction {
  /// An account that was read before, or nil if the file's index has none. Its tag may change between
  /// two transactions, and one that was stored without its issuer may get it.
  package func account(of account: Account) throws(StoreError) -> StoredAccount? {
    let identity = account.identity
    if let stored = try self.account(storedAs: identity) { return stored }
    guard identity.issuer.isEmpty, !account.issuer.isEmpty else { return nil }
    return try self.account(storedAs: identity.with(issuer: account.issuer))
  }

  /// The account with this identity, or nil if the file's index has none.
  package func account(storedAs identity: AccountIdentity) throws(StoreError) -> StoredAccount? {
    try account(tag: try tag(of: identity))
  }

  /// The accounts that have an issuer and equal this identity in all but the issuer.
  package func accounts(
    differingInIssuerFrom identity: AccountIdentity
  ) throws(StoreError) -> [StoredAccount] {
    guard !identity.homeAccountID.isEmpty else { return [] }
    var found: [StoredAccount] = []
    for tag in try tags(named: CaseFolding.fold(identity.homeAccountID)) {
      guard let account = try account(tag: tag) else { continue }
      let own = account.record.identity
      if !own.issuer.isEmpty, own.withoutIssuer == identity.withoutIssuer { found.append(account) }
    }
    return found
  }

  /// A tag that an account keeps when it gets an issuer. A refresh locks the byte of this tag.
  package func lockTag(of account: StoredAccount) throws(StoreError) -> [UInt8] {
    try tag(of: account.record.identity.withoutIssuer)
  }

  /// Stores an account under the identity with this issuer, which gives it another tag and account
  /// key. Its content, and what refers to it in the group, stay the same.
  /// - Returns: nil, with nothing changed, if a credential does not open.
  package func setIssuer(
    _ issuer: String, of account: StoredAccount
  ) throws(StoreError) -> StoredAccount? {
    var credentials: [(AccountRecord.StoredCredential, CredentialPayload)] = []
    do {
      for entry in account.record.stored {
        credentials.append((entry, try payload(of: entry, in: account)))
      }
    } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
    var record = account.record
    record.issuer = AccountIdentity.bare(issuer)
    let moved = try replace(account, with: record, credentials: credentials)
    if state.current == account.tag { state.current = moved.tag }
    for (client, principal) in state.principals where principal.account == account.tag {
      state.principals[client]?.account = moved.tag
    }
    return moved
  }
}
