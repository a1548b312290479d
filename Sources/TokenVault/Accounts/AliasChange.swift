import TokenVaultGroupStore
package import TokenVaultModel

/// Gives accounts their short names.
package struct AliasChange {
  private let session: GroupSession

  package init(_ session: GroupSession) { self.session = session }

  /// Gives an account an alias; an empty one removes it.
  /// - Throws: ``VaultError/aliasTaken(_:by:)``; ``VaultError/invalid(_:)`` for an alias of more
  ///   than 128 bytes, or with spaces or control characters.
  package func set(
    _ alias: String, of reference: AccountReference
  ) throws(VaultError) -> Account {
    guard alias.utf8.count <= 128, !alias.utf8.contains(where: { $0 < 0x21 || $0 == 0x7f }) else {
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
