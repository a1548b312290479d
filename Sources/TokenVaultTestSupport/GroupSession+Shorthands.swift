package import TokenVault
package import TokenVaultCrypto
package import TokenVaultGroupStore
package import TokenVaultModel

/// Short names for the operations of a group. Accounts are named by text, as on the command line.
extension GroupSession {
  package func accounts(_ query: AccountQuery = .all) throws(VaultError) -> AccountListing {
    try AccountEnumeration(self).accounts(query)
  }

  package func account(named text: String) throws(VaultError) -> Account {
    try account(AccountReference(parsing: text))
  }

  package func currentAccount() throws(VaultError) -> Account { try account(.current) }

  @discardableResult
  package func currentAccount(client: String) throws(VaultError) -> CurrentAccount {
    try CurrentAccountSelection(self).current(client: client)
  }

  @discardableResult
  package func switchTo(_ text: String) throws(VaultError) -> Account {
    try CurrentAccountSelection(self).select(AccountReference(parsing: text))
  }

  @discardableResult
  package func setAlias(_ alias: String, of text: String) throws(VaultError) -> Account {
    try AliasChange(self).set(alias, of: AccountReference(parsing: text))
  }

  package func deviceInformation() throws(VaultError) -> DeviceInformation {
    try DeviceInformation(configuration)
  }

  // MARK: Tokens and caches

  package func token(
    _ request: TokenRequest, account: String? = nil
  ) throws(VaultError) -> TokenResult {
    try TokenCache(self).token(
      request, of: account.map({ AccountReference(parsing: $0) }) ?? .current)
  }

  @discardableResult
  package func addSecret(
    _ secret: Redacted<[UInt8]>, service: ServiceURL, username: String
  ) throws(VaultError) -> (account: Account, madeGroup: Bool, isReplaced: Bool) {
    try ServiceSecrets(self).store(secret, service: service, username: username)
  }

  @discardableResult
  package func importCache(
    _ cache: MSALCache, from path: String? = nil
  ) throws(VaultError) -> ImportReport {
    try CacheImport(self).run(cache, from: path)
  }

  package func exportCache(_ query: AccountQuery = .all) throws(VaultError) -> MSALCache {
    try CacheExport(self).run(query)
  }

  // MARK: Sign-out

  @discardableResult
  package func signOut(
    _ texts: [String], client: String? = nil
  ) throws(VaultError) -> SignOutReport {
    try Erasure(self).run(
      .accounts(texts.map { AccountReference(parsing: $0) }), client: client,
      widensOnSharedDevice: false
    ).report
  }

  @discardableResult
  package func signOutAll(client: String? = nil) throws(VaultError) -> SignOutReport {
    try Erasure(self).run(.everything, client: client, widensOnSharedDevice: false).report
  }

  // MARK: The group

  package func create() throws(VaultError) { try GroupSetup(self).create() }

  @discardableResult
  package func createIfMissing() throws(VaultError) -> Bool {
    try GroupSetup(self).createIfMissing()
  }

  package func delete() throws(VaultError) { try GroupDeletion(self).delete() }

  @discardableResult
  package func rekey(
    to custody: GroupHeader.Custody? = nil, keyFile: String? = nil
  ) throws(VaultError) -> VaultError? {
    try Rekey(self).changeKey(to: custody, keyFile: keyFile).left
  }

  package func custody() throws(VaultError) -> GroupHeader.Custody {
    try GroupInspection(self).custody()
  }

  package func verify() throws(VaultError) -> VerificationReport {
    try GroupInspection(self).verify()
  }

  package func describe() throws(VaultError) -> GroupDescription {
    try GroupInspection(self).describe()
  }

  @discardableResult
  package func backup(to path: String) throws(VaultError) -> Backup.Keys {
    try Backup(self).write(to: path)
  }

  @discardableResult
  package func restore(from path: String) throws(VaultError) -> VerificationReport {
    let restore = try Restore(self, from: path)
    try restore.open()
    try restore.install()
    return restore.findings
  }

  @discardableResult
  package func makeRecoveryCode() throws(VaultError) -> SecretBytes {
    var bytes: [UInt8] = []
    _ = try Recovery(self).makeRecoveryCode { code in
      bytes = unsafe code.withUnsafeBytes { unsafe Array($0) }
    }
    do { return try SecretBytes(copying: bytes) } catch { throw .unexpected(type: "CryptoError") }
  }

  package func open(recoveryCode: borrowing SecretBytes) throws(VaultError) {
    try Recovery(self).open(recoveryCode: recoveryCode)
  }

  package func unlock(seconds: UInt32) throws(VaultError) {
    try KernelUnlock(self).unlock(seconds: seconds)
  }

  @discardableResult
  package func lock() throws(VaultError) -> Bool { try KernelUnlock(self).lock() }
}
