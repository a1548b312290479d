// `import TokenVault` is the only import that a tool needs. These modules declare as public only
// the types in the signatures of this module; everything else in them is `package`.
@_exported public import TokenVaultCrypto
@_exported public import TokenVaultGroupStore
@_exported public import TokenVaultKeyCustody
@_exported public import TokenVaultModel
@_exported public import TokenVaultSignIn
@_exported public import TokenVaultSignInTransport

/// One keychain group: its accounts, their tokens and secrets.
///
/// ```swift
/// let vault = Vault(try .process(group: "dev.tokenvault.shared"))
/// let token = try await vault.token(TokenRequest(scopes: "User.Read"))
/// print(token.account.username, "has a token for", token.scopes)
/// ```
///
/// Calls run one at a time on the vault's own queue, because files and the keyring block; they
/// never occupy a thread of the cooperative pool. A token that was served before, from a group that
/// has not changed since, is served again from memory, on the thread of the caller. Every change is
/// durable when its call returns.
///
/// Every call that opens the group throws ``VaultError/notAMember(executable:group:)`` if the
/// executable is not a member of the group, ``VaultError/store(_:group:)`` if the group file cannot
/// be read or written, and ``VaultError/custody(_:group:)`` if its key is not available. Except
/// where noted, a call throws ``VaultError/noGroup(_:)`` if the group has no file yet.
public actor Vault {
  private nonisolated let executor = BlockingExecutor()
  nonisolated let session: GroupSession

  /// The queue that runs this vault's calls.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  /// Creates a vault over the configured group. The first call opens the group; this initialiser
  /// touches no file.
  ///
  /// ```swift
  /// let configuration = try VaultConfiguration.process(group: "dev.tokenvault.shared")
  /// let vault = Vault(configuration)
  /// let account = try await vault.currentAccount()
  /// ```
  public init(_ configuration: VaultConfiguration) { session = GroupSession(configuration) }

  // MARK: Accounts

  /// The accounts that match a query, ordered by user name, identifier and environment. If none
  /// matches, the listing has the reason; a group without a file is such a reason and not an error.
  ///
  /// ```swift
  /// let listing = try await vault.accounts(AccountQuery(signedIn: true))
  /// for account in listing.accounts { print(account.username) }
  /// if let reason = listing.emptyReason { print("no account:", reason) }
  /// ```
  public func accounts(_ query: AccountQuery = .all) throws(VaultError) -> AccountListing {
    try AccountEnumeration(session).accounts(query)
  }

  /// The account with this home account id.
  /// - Throws: ``VaultError/noAccount(_:group:)`` if no account has the id or the group has no
  ///   file; ``VaultError/ambiguousAccount(_:candidates:)`` if several environments or issuers have
  ///   it.
  public func account(identifier: String) throws(VaultError) -> Account {
    try only(accounts(AccountQuery(identifier: identifier)).accounts, identifier)
  }

  /// The account with this user name, in its home tenant or in any other tenant.
  /// - Throws: As ``account(identifier:)``. MSAL returns the first of several matching accounts
  ///   instead.
  public func account(username: String) throws(VaultError) -> Account {
    try only(accounts(AccountQuery(username: username)).accounts, username)
  }

  /// The account that a user name, an alias, a home account id, or a unique prefix of an id names.
  /// - Throws: As ``account(identifier:)``.
  public func account(named name: String) throws(VaultError) -> Account {
    try session.account(.named(name))
  }

  private func only(_ found: [Account], _ text: String) throws(VaultError) -> Account {
    guard found.count <= 1 else { throw .ambiguousAccount(text, candidates: found) }
    guard let account = found.first else { throw .noAccount(text, group: session.group) }
    return account
  }

  /// The group's current account: the one that was selected with ``switchTo(_:)`` or signed in on
  /// the command line, otherwise the only account that the group ever had. After the current
  /// account signs out, no other one takes its place until one is selected.
  /// - Throws: ``VaultError/ambiguousCurrentAccount(candidates:group:)`` if accounts are signed in
  ///   and none is selected; ``VaultError/noCurrentAccount(_:group:)`` if no account is signed in.
  public func currentAccount() throws(VaultError) -> Account { try session.account(.current) }

  /// MSAL's getCurrentAccount: the current account for a client, and the account last returned to
  /// that client.
  /// - Throws: ``VaultError/ambiguousCurrentAccount(candidates:group:)`` if there are several
  ///   candidates, or if the current account signed out and no other one was selected since; the
  ///   remembered account is then unchanged.
  public func currentAccount(clientID: String) throws(VaultError) -> CurrentAccount {
    try CurrentAccountSelection(session).current(client: clientID)
  }

  /// Makes an account the current one of the group, for every tool of the group.
  /// - Throws: ``VaultError/noAccount(_:group:)`` if the account is no longer in the group.
  @discardableResult
  public func switchTo(_ account: Account) throws(VaultError) -> Account {
    try CurrentAccountSelection(session).select(.known(account))
  }

  /// Sets the alias of an account; an empty alias removes it.
  /// - Throws: ``VaultError/aliasTaken(_:by:)`` if another account has the alias;
  ///   ``VaultError/invalid(_:)`` if it has more than 128 bytes, a space or a control character.
  @discardableResult
  public func setAlias(_ alias: String, of account: Account) throws(VaultError) -> Account {
    try AliasChange(session).set(alias, of: .known(account))
  }

  // MARK: Tokens

  /// A stored token that satisfies the request, of `account` or, if that is nil, of the current
  /// account. It never contacts a provider.
  ///
  /// ```swift
  /// let token = try await vault.token(TokenRequest(scopes: "User.Read"))
  /// let header = "Authorization: " + token.authorizationHeader.reveal()
  /// print(token.account.username, "has a token for", token.scopes)
  /// ```
  ///
  /// - Throws: ``VaultError/interactionRequired(_:account:group:)`` with the reason if no stored
  ///   token satisfies the request; ``VaultError/scopesRequired(stored:account:)`` if the request
  ///   names no scope and the account has tokens for several sets of scopes; for a nil account, as
  ///   ``currentAccount()``.
  public nonisolated(nonsending) func token(
    _ request: TokenRequest, for account: Account? = nil
  ) async throws(VaultError) -> TokenResult {
    let wanted = ServedTokens.Request(token: request, account: account, hasIDToken: false)
    if let served = session.servedAgain(wanted) { return served }
    return try await storedToken(wanted)
  }

  private func storedToken(_ wanted: ServedTokens.Request) throws(VaultError) -> TokenResult {
    let reference = wanted.account.map(AccountReference.known) ?? .current
    var token = try session.serve(wanted, { $0 }) { transaction in
      try TokenCache(self.session).token(
        wanted.token, of: self.session.lookup.stored(reference, in: transaction), in: transaction)
    }
    token.credential = nil
    return token
  }

  /// Stores a password or personal access token of a service. It replaces the one that the user
  /// name had there. The group is created if it has no file.
  ///
  /// ```swift
  /// let url: ServiceURL = "git.example.com"
  /// let password = Redacted(text: readLine() ?? "")
  /// try await vault.setSecret(password, for: url, username: "ada")
  /// ```
  ///
  /// - Throws: ``VaultError/invalid(_:)`` if the user name is empty, has more than 1024 bytes or a
  ///   control character, or if the secret is empty; ``VaultError/store(_:group:)`` if the secret
  ///   has more than 1 MiB less 16 bytes; ``VaultError/sharedDeviceOccupied(by:)`` on a shared
  ///   device that has another account.
  @discardableResult
  public func setSecret(
    _ secret: Redacted<[UInt8]>, for service: ServiceURL, username: String
  ) throws(VaultError) -> Account {
    try ServiceSecrets(session).store(secret, service: service, username: username).account
  }

  /// The stored password or personal access token of a service.
  ///
  /// ```swift
  /// let secret = try await vault.secret(for: "git.example.com", username: "ada")
  /// let password = secret.revealText()
  /// ```
  ///
  /// - Throws: ``VaultError/noAccount(_:group:)`` if none is stored for the user name.
  public func secret(
    for service: ServiceURL, username: String
  ) throws(VaultError) -> Redacted<[UInt8]> {
    try ServiceSecrets(session).secret(for: service, username: username)
  }

  /// Stores the content of an MSAL cache in one transaction. A newer stored credential is never
  /// replaced by an older one. No imported account becomes the current one. The group is created if
  /// it has no file. With `file`, the path that the cache was read from, each later sign-out looks
  /// into that file and reports whether the account is still in it.
  ///
  /// ```swift
  /// let file = try Data(contentsOf: URL(filePath: cachePath))
  /// let report = try await vault.importCache(MSALCache(json: Array(file)), from: cachePath)
  /// print(report.added.count, "accounts added,", report.credentials, "credentials stored")
  /// ```
  ///
  /// - Throws: ``VaultError/accountOfOtherIssuer(_:)`` if the cache has an account of AD FS, or of a
  ///   private host of Microsoft Entra, with the host and id of a stored one but another issuer;
  ///   ``VaultError/sharedDeviceTakesOne(given:)`` or ``VaultError/sharedDeviceOccupied(by:)`` if a
  ///   shared device would get a second account. Nothing is stored then.
  public func importCache(
    _ cache: MSALCache, from file: String? = nil
  ) throws(VaultError) -> ImportReport {
    try CacheImport(session).run(cache, from: file)
  }

  /// The accounts that match a query, as a cache for MSAL libraries. Secrets of services are not
  /// part of it. The cache contains tokens in plain text, so protect the file that you write it to.
  ///
  /// ```swift
  /// let cache = try await vault.exportCache(AccountQuery(username: "ada@example.com"))
  /// let json = try cache.json()
  /// print(json.count, "bytes for MSAL")
  /// ```
  ///
  /// - Throws: ``VaultError/store(_:group:)`` if an account of the group is damaged.
  public func exportCache(_ query: AccountQuery = .all) throws(VaultError) -> MSALCache {
    try CacheExport(session).run(query)
  }

  // MARK: Sign-out

  /// Erases accounts for every client of the group. It does not contact the providers;
  /// ``PublicClientApplication/signOut(_:_:)`` does.
  ///
  /// ```swift
  /// let report = try await vault.signOut([account])
  /// for entry in report.entries where !entry.isClean { print(entry.place.rawValue, entry.detail) }
  /// ```
  ///
  /// When the call returns, the accounts are gone from the group file. The report names every other
  /// place and whether it is clean; the next command that opens the group tries again to delete a
  /// key that is left.
  /// - Throws: ``VaultError/noAccount(_:group:)`` if an account is no longer in the group.
  public func signOut(_ accounts: [Account]) throws(VaultError) -> SignOutReport {
    try Erasure(session).run(.accounts(accounts.map(AccountReference.known))).report
  }

  /// Signs one client out of accounts. Other clients keep their tokens; an account that no other
  /// client uses is erased as a whole.
  /// - Throws: As ``signOut(_:)``.
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

  /// Whether one person or several use the machine, and the file that sets this mode.
  /// - Throws: ``VaultError/badManifest(path:fault:)`` if that file cannot be used.
  public func deviceInformation() throws(VaultError) -> DeviceInformation {
    try DeviceInformation(session.configuration)
  }

  /// An element each time another process, or another `Vault` of this process, changes the group.
  ///
  /// ```swift
  /// for try await _ in vault.changes() {
  ///   let listing = try await vault.accounts()
  ///   print(listing.accounts.map(\.username))
  /// }
  /// ```
  ///
  /// The sequence ends when its task is cancelled. Changes in quick succession are one element.
  public nonisolated func changes() -> some AsyncSequence<Void, any Error> & Sendable {
    GroupChanges(vault: self)
  }

  func changeMark() throws(VaultError) -> GroupSession.ChangeMark? { try session.changeMark() }
}
