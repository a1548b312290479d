package import TokenVaultCrypto

/// A custodian that keeps the keys of groups, one for each generation.
///
/// In addition to the rules of ``KeyCustodian``:
/// - A stored key was read back before `store` returns, and is never overwritten.
/// - A deleted key was searched for again before `delete` returns: the deletion of either part of a
///   key makes every copy of the file unreadable.
/// - Nothing can be concluded from a search in a locked place: it fails with `locked`.
package protocol StoringKeyCustodian: KeyCustodian where Reference == GroupKeyID {
  /// The key of a generation; throws `keyMissing` when the place is open and has none, and
  /// `wrongKey` when it holds something other than a key of 32 bytes.
  func key(_ id: GroupKeyID) throws(CustodyError) -> SecretBytes

  /// Stores a new key and reads it back.
  ///
  /// Throws `alreadyStored` when a key has this id, and `wrongKey` for a key of another size than 32 bytes
  /// or that reads back as another one. After any other error the key may or may not be stored: ask
  /// ``generations(of:)`` before trying again.
  func store(_ key: borrowing SecretBytes, as id: GroupKeyID) throws(CustodyError)

  /// Deletes every key with this id and verifies that none is left. Deleting a key that is not
  /// there is no error.
  func delete(_ id: GroupKeyID) throws(CustodyError)

  /// All generations that are stored for a group, in ascending order.
  func generations(of groupID: [UInt8]) throws(CustodyError) -> [UInt64]
}
