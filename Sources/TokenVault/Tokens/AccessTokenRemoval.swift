package import TokenVaultCrypto
import TokenVaultGroupStore
package import TokenVaultModel

/// Forgets an access token that a server has refused, so that the next request gets a new one.
package struct AccessTokenRemoval {
  private let session: GroupSession

  package init(_ session: GroupSession) { self.session = session }

  /// Removes the account's access token with exactly these bytes. Everything else of the account,
  /// its refresh token included, stays.
  /// - Returns: Whether there was one.
  @discardableResult
  package func run(_ token: Redacted<[UInt8]>, of account: Account) throws(VaultError) -> Bool {
    try session.write { transaction in
      guard var stored = try transaction.account(of: account),
        let entry = try entry(token, of: stored, in: transaction)
      else { return false }
      try transaction.removeCredentials(of: &stored) { $0 == entry.credential }
      try transaction.update(&stored)
      return true
    }
  }

  /// Whether the account has an access token with exactly these bytes.
  package func isStored(_ token: Redacted<[UInt8]>, of account: Account) throws(VaultError) -> Bool
  {
    try session.read { transaction in
      guard let stored = try transaction.account(of: account) else { return false }
      return try entry(token, of: stored, in: transaction) != nil
    }
  }

  private func entry(
    _ token: Redacted<[UInt8]>, of stored: StoredAccount, in transaction: GroupTransaction
  ) throws -> AccountRecord.StoredCredential? {
    try stored.record.stored.first { entry in
      guard entry.credential.kind == .accessToken else { return false }
      let secret = try transaction.payload(of: entry, in: stored).secret
      return ConstantTime.equal(secret.reveal(), token.reveal())
    }
  }
}
