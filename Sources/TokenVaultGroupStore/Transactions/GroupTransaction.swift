import TokenVaultCrypto
package import TokenVaultModel

/// One transaction over a group. A read transaction must not change ``state``.
package final class GroupTransaction {
  let group: UnlockedGroup
  let database: Database
  /// The keys of the generation in which this transaction leaves the group.
  var keys: GroupKeys { rotated?.keys ?? group.keys }
  var header: GroupHeader { rotated?.header ?? group.header }
  /// The state of the group. A write transaction stores it when it commits.
  package var state: GroupState
  /// The header and keys of the generation to which this transaction moves the group.
  var rotated: (header: GroupHeader, keys: GroupKeys)?
  /// The digests of the account rows; nil in a file of format version 1.
  var tree: RowTree?

  init(_ group: UnlockedGroup) throws(StoreError) {
    self.group = group
    database = group.database
    guard try LockedGroup.readHeader(group.database) == group.header else {
      throw .generationChanged
    }
    guard let sealed = try database.meta(Format.Meta.state.rawValue) else {
      throw .damaged(rows: nil)
    }
    state = try GroupState(
      encoded: Padding.unpad(
        try group.keys.wrap.openRow(sealed, group.header.associatedData(.state))))
    if group.header.version > 1 {
      tree = RowTree(state.root, in: database, key: group.keys.tags)
    }
  }

  /// A second view of the snapshot of `other`, which keeps reading with the keys that `other` has
  /// now.
  init(readingFor other: GroupTransaction) {
    group = other.group
    database = other.database
    state = other.state
    rotated = other.rotated
    tree = other.tree
  }

  func finish() throws(StoreError) {
    // In a group that another person made, the numbers may be the greatest there are.
    state.changes &+= 1
    try tree?.write()
    if let tree { state.root = tree.root }
    try storeState()
  }

  func storeState() throws(StoreError) {
    try database.setMeta(
      Format.Meta.state.rawValue,
      try keys.wrap.sealRow(
        Padding.pad(state.encoded(version: header.version)), header.associatedData(.state)))
  }

  /// The queries that lead from a name to a secret.
  enum Query {
    static let name = "SELECT sealed FROM name WHERE tag = ?"
    static let account =
      "SELECT a.id, a.sheet, k.key_id, k.wrapped FROM account a "
      + "LEFT JOIN account_key k ON k.id = a.id WHERE a.tag = ?"
    static let payload = "SELECT sealed FROM record WHERE id = ? AND account = ?"
  }

  // MARK: Accounts

  /// The tag by which the account's row is found.
  package func tag(of identity: AccountIdentity) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("account")
    for part in [identity.homeAccountID, identity.environment, identity.orphanClient] {
      writer.text(part)
    }
    if !identity.issuer.isEmpty { writer.text(identity.issuer) }
    return try keys.tags.rowTag(writer.bytes)
  }

  /// The account with this tag, or nil if the file's index has none.
  package func account(tag: [UInt8]) throws(StoreError) -> StoredAccount? {
    let query = try database.statement(Query.account)
    try query.bind(1, tag)
    guard try query.step() else { return nil }
    defer { query.reset() }
    return try open(
      SealedAccount(
        id: query.int64(0), tag: tag, record: query.bytes(1), keyID: query.bytes(2),
        wrappedKey: query.bytes(3)))
  }

  /// Calls `body` with every account that opens.
  ///
  /// - Returns: the number of accounts that do not open, and of rows that are missing, were added by
  ///   another program, or were replaced by an older version.
  /// - Throws: in a file of format version 1, ``StoreError/damaged(rows:)`` if a row is missing, was
  ///   added, or was replaced. There, do not rely on the accounts passed to `body` before this
  ///   method returns.
  package func forEachAccount(
    _ body: (StoredAccount) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    let query = try database.statement(SealedAccount.selection)
    defer { query.reset() }
    var rows = RowSum()
    var damaged = 0
    var opened: Set<Int64> = []
    while try query.step() {
      let row = SealedAccount(query)
      if tree == nil { rows.add(try rowDigest(row)) }
      // Damage to a page may show a row twice.
      guard !opened.contains(row.id) else {
        damaged += 1
        continue
      }
      let account: StoredAccount
      do { account = try open(row) } catch {
        guard case .damaged = error else { throw error }
        damaged += 1
        continue
      }
      opened.insert(row.id)
      try body(account)
    }
    guard tree != nil || damaged > 0 || rows == state.rows else { throw .damaged(rows: nil) }
    // Damage to a page may hide rows or add some. The state has the right number.
    let missing = Int(clamping: state.accountCount) - opened.count
    return missing > 0 ? missing : damaged
  }

  /// The tags of the accounts with a name, folded by `CaseFolding`; empty if the directory of names
  /// does not contain it. To be certain that no account has the name, use ``accounts(named:)``.
  package func tags(named folded: [UInt8]) throws(StoreError) -> [[UInt8]] {
    try nameEntry(try nameTag(folded))
  }

  /// Opens the row of an account.
  /// - Throws: ``StoreError/damaged(rows:)``, also if the row is not its present version.
  func open(_ row: SealedAccount) throws(StoreError) -> StoredAccount {
    let account = try openAnyVersion(row)
    guard try isPresent(row) else { throw .damaged(rows: 1) }
    return account
  }

  func openAnyVersion(_ row: SealedAccount) throws(StoreError) -> StoredAccount {
    try RowOpener(header: header, keys: keys).open(row)
  }

  func accountKeyData(tag: [UInt8], keyID: [UInt8]) -> [UInt8] {
    header.associatedData(.accountKey, account: tag, row: keyID)
  }

  // MARK: Names

  func nameTag(_ folded: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("name")
    writer.data(folded)
    return try keys.tags.rowTag(writer.bytes)
  }

  func nameEntry(_ tag: [UInt8]) throws(StoreError) -> [[UInt8]] {
    let query = try database.statement(Query.name)
    try query.bind(1, tag)
    guard try query.step() else { return [] }
    defer { query.reset() }
    return try openName(query.bytes(0), tag: tag)
  }

  func openName(_ sealed: [UInt8], tag: [UInt8]) throws(StoreError) -> [[UInt8]] {
    var reader = ByteReader(
      try Padding.unpad(try keys.rows.openRow(sealed, header.associatedData(.name, row: tag))))
    let tags = try reader.list { reader throws(StoreError) in try reader.data() }
    try reader.end()
    return tags
  }

  // MARK: Secrets

  /// Opens the secret of one of the account's credentials.
  package func payload(
    of stored: AccountRecord.StoredCredential, in account: StoredAccount
  ) throws(StoreError) -> CredentialPayload {
    // The number of the row is authentic, and its account, which a deletion goes by, must be, too.
    let query = try database.statement(Query.payload)
    try query.bind(1, stored.row)
    try query.bind(2, account.row)
    guard try query.step() else { throw .damaged(rows: 1) }
    defer { query.reset() }
    let sealed = query.bytes(0)
    guard Array(sealed.suffix(16)) == stored.seal else { throw .damaged(rows: 1) }
    var reader = ByteReader(
      try Padding.unpad(
        try account.key.openRow(sealed, recordData(stored.credential, account: account.tag))))
    let payload = CredentialPayload(
      secret: Redacted(try reader.data()), extraJSON: try reader.data())
    try reader.end()
    return payload
  }

  func recordData(_ credential: Credential, account: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("record")
    writer.data(account)
    credential.encodeIdentity(into: &writer)
    let tag = try keys.tags.rowTag(writer.bytes)
    return header.associatedData(.credential, account: account, row: tag)
  }

  // MARK: Extras

  /// Imported data that belongs to no account; empty if there is none.
  package func extras() throws(StoreError) -> [UInt8] {
    guard let sealed = try sealed(.extras) else { return [] }
    return try Padding.unpad(try keys.wrap.openRow(sealed, header.associatedData(.extras)))
  }
}
