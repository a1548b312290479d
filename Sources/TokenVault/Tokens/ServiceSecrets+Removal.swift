import TokenVaultGroupStore
package import TokenVaultModel

extension ServiceSecrets {
  /// Deletes stored secrets, in the present generation: a tool may ask for that after any answer of a
  /// server, and a new key of the group would end its backups. Rules about the accounts stay. For an
  /// erasure of which copies cannot be opened either, see ``Erasure``.
  /// - Returns: Whether there was one.
  @discardableResult
  package func remove(_ accounts: [Account]) throws(VaultError) -> Bool {
    try session.write { transaction in
      var isRemoved = false
      for account in accounts {
        guard let stored = try transaction.account(of: account), stored.record.isSecret else {
          continue
        }
        try transaction.remove(stored)
        isRemoved = true
      }
      return isRemoved
    }
  }
}
