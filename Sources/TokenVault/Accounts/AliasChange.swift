import TokenVaultGroupStore
package import TokenVaultModel

/// Sets the aliases of accounts.
package struct AliasChange {
  private let session: GroupSession

  package init(_ session: GroupSession) { self.session = session }

  /// Sets the alias of an account; an empty alias removes it.
  /// - Throws: ``VaultError/aliasTaken(_:by:)``; ``VaultError/invalid(_:)`` if the alias has more
  ///   than 128 bytes, a space, a control character, an `@`, as in a user name of another account, or
  ///   a `//`, which separates a name from its place.
  package func set(
    _ alias: String, of reference: AccountReference
  ) throws(VaultError) -> Account {
    guard alias.utf8.count <= 128, !alias.utf8.contains(where: { $0 < 0x21 || $0 == 0x7f }),
      !alias.contains("@"), !alias.contains("//")
    else {
      throw .invalid(.alias)
    }
    let lookup = session.lookup
    return try session.write { transaction in
      var stored = try lookup.stored(reference, in: transaction)
      if !alias.isEmpty {
        for tag in try transaction.tags(named: CaseFolding.fold(alias)) where tag != stored.tag {
          guard let other = try transaction.account(tag: tag) else {
            throw StoreError.damaged(rows: nil)
          }
          throw VaultError.aliasTaken(alias, by: lookup.account(other, in: transaction))
        }
      }
      stored.record.alias = alias
      try transaction.update(&stored)
      return lookup.account(stored, in: transaction)
    }
  }
}
