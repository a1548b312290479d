import TokenVaultGroupStore
import TokenVaultModel

/// The files that were imported into a group. A sign-out looks into each of them, because a tool
/// that uses the file still has the account.
struct ImportedFiles {
  let paths: [String]

  /// The report's entries for these files.
  /// - Parameters:
  ///   - accounts: The accounts that were signed out.
  ///   - clientOf: The client that was signed out of an account; nil if all of it was erased.
  func entries(
    _ accounts: [Account], clientOf: (Account) -> String?
  ) -> [SignOutReport.Entry] {
    accounts.isEmpty ? [] : paths.flatMap { entries($0, accounts, clientOf) }
  }

  private func entries(
    _ path: String, _ accounts: [Account], _ clientOf: (Account) -> String?
  ) -> [SignOutReport.Entry] {
    func entry(_ isClean: Bool, _ detail: String, of account: Account? = nil) -> SignOutReport.Entry
    {
      SignOutReport.Entry(
        place: .importedFile, isClean: isClean, detail: detail, file: path, account: account,
        clientID: account.flatMap(clientOf))
    }
    let entities: [CacheText.Entity]
    do { entities = try CacheFile(path).text().entities } catch {
      return CacheFile.isGone(path)
        ? [entry(true, "the file no longer exists")]
        : [entry(false, "the file cannot be read as a cache")]
    }
    let left = accounts.filter { account in
      CacheOwner(account, clientID: clientOf(account)).isIn(entities)
    }
    return left.isEmpty
      ? [entry(true, "the account is not in it")]
      : left.map { entry(false, "the account is still in it, in plaintext", of: $0) }
  }
}
