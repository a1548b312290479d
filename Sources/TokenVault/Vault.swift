// `import TokenVault` is all that a tool needs. These modules declare as public only the types that
// the signatures of this module name; everything else in them is `package`.
@_exported public import TokenVaultCrypto
@_exported public import TokenVaultGroupStore
@_exported public import TokenVaultKeyCustody
@_exported public import TokenVaultModel
@_exported public import TokenVaultSignIn
@_exported public import TokenVaultSignInTransport

/// One keychain group: its accounts, their tokens and secrets.
///
/// Calls run one after the other on a queue of their own, since files and the keyring block; they
/// never hold up the cooperative thread pool. A tool that is not a member of the group gets
/// ``VaultError/notAMember(executable:group:)`` from each of them. Every change is durable when its
/// call returns.
public actor Vault {
  private nonisolated let executor = BlockingExecutor()
  nonisolated let session: GroupSession

  /// The queue that this vault's calls run on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// A vault over the configured group. The group is opened by the first call.
  public init(_ configuration: VaultConfiguration) { session = GroupSession(configuration) }

  // MARK: Accounts

  /// The accounts that fulfil a query, in a fixed order; when there is none, the reason.
  public func accounts(_ query: AccountQuery = .all) throws(VaultError) -> AccountListing {
    try AccountEnumeration(session).accounts(query)
  }

  /// The account with this home account id.
  /// - Throws: ``VaultError/noAccount(_:group:)``; ``VaultError/ambiguousAccount(_:candidates:)``
  ///   when several environments have it.
  public func account(identifier: String) throws(VaultError) -> Account {
    try only(accounts(AccountQuery(identifier: identifier)).accounts, identifier)
  }

  /// The account with this user name, in its home tenant or another.
  /// - Throws: as ``account(identifier:)``; unlike MSAL, which takes the first of several.
  public func account(username: String) throws(VaultError) -> Account {
    try only(accounts(AccountQuery(username: username)).accounts, username)
  }

  /// The account that a user name, an alias, a home account id or a unique prefix of one means.
  public func account(named name: String) throws(VaultError) -> Account {
    try session.account(.named(name))
  }

  private func only(_ found: [Account], _ text: String) throws(VaultError) -> Account {
    guard found.count <= 1 else { throw .ambiguousAccount(text, candidates: found) }
    guard let account = found.first else { throw .noAccount(text, group: session.group) }
    return account
  }

  /// The group's current account: the one switched to, else the only one signed in.
  public func currentAccount() throws(VaultError) -> Account { try session.account(.current) }

  /// MSAL's getCurrentAccount: the current account for a client, and the account last returned to
  /// that client. With several candidates it throws, and the remembered account is unchanged.
  public func currentAccount(clientID: String) throws(VaultError) -> CurrentAccount {
    try CurrentAccountSelection(session).current(client: clientID)
  }

  /// Makes an account the group's current one, for every tool of the group.
  @discardableResult
  public func switchTo(_ account: Account) throws(VaultError) -> Account {
    try CurrentAccountSelection(session).select(.known(account))
  }

  /// Gives an account a short name; an empty one removes it.
  @discardableResult
  public func setAlias(_ alias: String, of account: Account) throws(VaultError) -> Account {
    try AliasChange(session).set(alias, of: .known(account))
  }

  // MARK: Tokens

  /// A stored token of an account (nil: the current one) that fulfils the request.
  /// - Throws: ``VaultError/interactionRequired(_:account:group:)`` with the reason when none does.
  public func token(
    _ request: TokenRequest, for account: Account? = nil
  ) throws(VaultError) -> TokenResult {
    try TokenCache(session).token(request, of: account.map(AccountReference.known) ?? .current)
  }

  /// Stores a password or personal access token of a service, in the place of the one that the user
  /// name had. The group is created if it has no file.
  @discardableResult
  public func setSecret(
    _ secret: Redacted<[UInt8]>, for service: ServiceURL, username: String
  ) throws(VaultError) -> Account {
    try ServiceSecrets(session).store(secret, service: service, username: username).account
  }

  /// The stored password or personal access token of a service.
  /// - Throws: ``VaultError/noAccount(_:group:)`` when the user name has none there.
  public func secret(
    for service: ServiceURL, username: String
  ) throws(VaultError) -> Redacted<[UInt8]> {
    try ServiceSecrets(session).secret(for: service, username: username)
  }

  /// Stores all that an MSAL cache holds, in one transaction.
  /// - Parameter preferred: the user name that becomes current where no account is.
  public func importCache(
    _ cache: MSALCache, preferred: String? = nil
  ) throws(VaultError) -> ImportReport {
    try CacheImport(session).run(cache, preferred: preferred)
  }

  /// The accounts that fulfil a query, as a cache for MSAL libraries. It holds their tokens in the
  /// clear: the caller decides where it goes.
  public func exportCache(_ query: AccountQuery = .all) throws(VaultError) -> MSALCache {
    try CacheExport(session).run(query)
  }

  // MARK: Sign-out

  /// Erases accounts for every client of the group.
  public func signOut(_ accounts: [Account]) throws(VaultError) -> SignOutReport {
    try Erasure(session).run(.accounts(accounts.map(AccountReference.known))).report
  }

  /// Signs one client out of accounts; other clients keep theirs.
  public func signOut(
    _ accounts: [Account], clientID: String
  ) throws(VaultError) -> SignOutReport {
    try Erasure(session).run(
      .accounts(accounts.map(AccountReference.known)), client: clientID,
      widensOnSharedDevice: false
    ).report
  }

  /// Erases every account of the group.
  public func signOutAll() throws(VaultError) -> SignOutReport {
    try Erasure(session).run(.everything).report
  }

  // MARK: The group

  /// Whether one person or several use the machine, and the file that says so.
  public func deviceInformation() throws(VaultError) -> DeviceInformation {
    try DeviceInformation(session.configuration)
  }

  /// An element each time another process, or another vault of this one, changes the group.
  ///
  /// The sequence ends when its task is cancelled. Changes that come close together are one element.
  public nonisolated func changes() -> GroupChanges { GroupChanges(vault: self) }

  func changeMark() throws(VaultError) -> GroupSession.ChangeMark? { try session.changeMark() }
}
