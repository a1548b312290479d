import TokenVaultCrypto

// Each account row has a keyed digest, in the tree of the group. A row whose digest is another one
// is older, was moved, or was added by another program.
extension GroupTransaction {
  /// The digest of a row.
  func rowDigest(tag: [UInt8], keyID: [UInt8], seal: [UInt8]) throws(StoreError) -> [UInt8] {
    try keys.tags.rowDigest(tag: tag, keyID: keyID, seal: seal)
  }

  func rowDigest(_ row: SealedAccount) throws(StoreError) -> [UInt8] {
    try rowDigest(tag: row.tag, keyID: row.keyID, seal: row.seal)
  }

  /// The digest of the row that the account was read from.
  func rowDigest(_ account: StoredAccount) throws(StoreError) -> [UInt8] {
    try rowDigest(tag: account.tag, keyID: account.keyID, seal: account.saved.seal)
  }

  /// Whether the row is the present version of an account's row. In a file of format version 1, one
  /// row alone does not tell.
  func isPresent(_ row: SealedAccount) throws(StoreError) -> Bool {
    guard tree != nil else { return true }
    return try isPresent(row: row.id, digest: rowDigest(row))
  }

  /// Whether this is the digest of the row's present version.
  func isPresent(row: Int64, digest: [UInt8]) throws(StoreError) -> Bool {
    try tree?.leaf(ofRow: row).has(digest, Int(row & 63)) ?? false
  }

  /// Records the new digest of a row; nil if there is no account.
  /// - Throws: ``StoreError/damaged(rows:)`` if `former` is not the digest of the row: a change must
  ///   not make an older row authentic.
  func changeDigest(
    ofRow row: Int64, from former: [UInt8]?, to digest: [UInt8]?
  ) throws(StoreError) {
    guard tree != nil else {
      if let former { state.rows.subtract(former) }
      if let digest { state.rows.add(digest) }
      return
    }
    guard try tree?.digest(ofRow: row) == former?.treeDigest else { throw .damaged(rows: 1) }
    try tree?.set(digest?.treeDigest, ofRow: row)
  }

  /// Replaces the sum over all rows, which a file of format version 1 has.
  ///
  /// If an account does not open, the sum cannot be checked, and the other rows are taken as they
  /// are.
  /// - Throws: ``StoreError/damaged(rows:)`` if every account opens and the sum is wrong.
  func plantTree() throws(StoreError) {
    _ = try forEachAccount { _ in }
    var planted = RowTree(replacing: database, key: keys.tags)
    var last = Int64.min
    while let row = try account(after: last) {
      last = row.id
      try planted.set(rowDigest(row).treeDigest, ofRow: row.id)
    }
    state.rows = RowSum()
    tree = planted
  }
}

extension [UInt8] {
  /// As much of a row's digest as the tree has.
  fileprivate var treeDigest: [UInt8] { Array(prefix(DigestNode.digestSize)) }
}
