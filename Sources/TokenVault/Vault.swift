public import TokenVaultCrypto
public import TokenVaultModel

/// One keychain group: its accounts, their tokens and secrets.
///
/// Calls are served one after the other, off the cooperative thread pool, since files and the
/// keyring block. A tool that is no member of the group is refused by each of them with
/// ``VaultError/notAMember(executable:group:)``. Every change is durable when its call returns.
public actor Vault {
  private nonisolated let executor = BlockingExecutor()
  let core: VaultCore

  /// The queue that this vault's calls run on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// A vault over the configured group. Nothing is opened before the first call.
  public init(_ configuration: VaultConfiguration) {
    core = VaultCore(configuration)
    watchedPath = configuration.groupPath
  }

  // MARK: Accounts

  /// The accounts that fulfil a query, in a fixed order; when there is none, why.
  public func accounts(_ query: AccountQuery = .all) throws(VaultError) -> AccountListing {
    try core.accounts(query)
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

  /// The account that a user name, alias, home account id or unique prefix of one means.
  public func account(named text: String) throws(VaultError) -> Account {
    try core.read { transaction in
      self.core.account(try self.core.resolve(text, in: transaction), in: transaction)
    }
  }

  private func only(_ found: [Account], _ text: String) throws(VaultError) -> Account {
    guard found.count <= 1 else { throw .ambiguousAccount(text, candidates: found) }
    guard let account = found.first else { throw .noAccount(text, group: core.group) }
    return account
  }

  /// The group's current account: the one switched to, else the only one signed in.
  public func currentAccount() throws(VaultError) -> Account { try core.currentAccount() }

  /// MSAL's getCurrentAccount: the current account for a client, and the one the client was told
  /// of before. With several candidates it throws, and what the client was told stays as it was.
  public func currentAccount(clientID: String) throws(VaultError) -> CurrentAccount {
    try core.currentAccount(client: clientID)
  }

  /// Makes an account the group's current one, for every tool of the group.
  @discardableResult
  public func switchTo(_ account: String) throws(VaultError) -> Account {
    try core.switchTo(account)
  }

  /// Gives an account a short name; an empty one takes it away.
  @discardableResult
  public func setAlias(_ alias: String, of account: String) throws(VaultError) -> Account {
    try core.setAlias(alias, of: account)
  }

  // MARK: Tokens

  /// A stored token of an account (nil: the current one) that fulfils the request.
  /// - Throws: ``VaultError/interactionRequired(_:account:group:)`` with the reason when none does.
  public func token(
    _ request: TokenRequest, account: String? = nil
  ) throws(VaultError) -> TokenResult {
    try core.token(request, account: account)
  }

  /// Stores a password or personal access token of a service.
  @discardableResult
  public func addSecret(
    _ secret: Redacted<[UInt8]>, service: ServiceURL, username: String
  ) throws(VaultError) -> Account {
    try core.addSecret(secret, service: service, username: username).account
  }

  /// Stores all that an MSAL cache holds, in one step.
  /// - Parameter preferred: the user name that becomes current where no account is.
  public func importCache(
    _ cache: MSALCache, preferred: String? = nil
  ) throws(VaultError) -> ImportReport {
    try core.importCache(cache, preferred: preferred)
  }

  /// The accounts that fulfil a query, as a cache for MSAL libraries. It holds their tokens in the
  /// clear: the caller decides where it goes.
  public func exportCache(_ query: AccountQuery = .all) throws(VaultError) -> MSALCache {
    try core.exportCache(query)
  }

  // MARK: Sign-out

  /// Erases accounts for every client of the group.
  public func signOut(_ accounts: [String]) throws(VaultError) -> SignOutReport {
    try core.signOut(accounts)
  }

  /// Signs one client out of accounts; other clients keep theirs.
  public func signOut(
    _ accounts: [String], clientID: String
  ) throws(VaultError) -> SignOutReport {
    try core.signOut(accounts, client: clientID)
  }

  /// Erases every account of the group.
  public func signOutAll() throws(VaultError) -> SignOutReport { try core.signOutAll() }

  // MARK: The group

  /// Whether one person or several use the machine, and what says so.
  public func deviceInformation() throws(VaultError) -> DeviceInformation {
    try core.deviceInformation()
  }

  /// Tells each time another process (or another vault of this one) changed the group.
  ///
  /// The sequence ends when its task is cancelled. Changes that come close together are told once.
  public nonisolated func changes() -> GroupChanges { GroupChanges(vault: self) }

  func changeMark() throws(VaultError) -> VaultCore.ChangeMark? { try core.changeMark() }
  nonisolated let watchedPath: String
}
