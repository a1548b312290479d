package import TokenVaultCrypto
package import TokenVaultModel

/// One account as a transaction read it. A write names the account key's id it read, and fails
/// when the row is gone or has another: a sign-out in between wins.
package struct StoredAccount {
  /// The keyed tag of the account's identity, 32 bytes.
  package let tag: [UInt8]
  /// Names the account key, random, 16 bytes.
  package let keyID: [UInt8]
  package var record: AccountRecord
  let row: Int64
  let key: SealingKey
  /// The account record as it stands in the file, and its row's GCM tag.
  var saved: (record: AccountRecord, seal: [UInt8])
}

/// A credential's secret, and the fields of its entity that the schema does not know.
package struct Payload: Sendable {
  package var secret: Redacted<[UInt8]>
  /// A JSON object; empty for none.
  package var extraJSON: [UInt8]

  package init(secret: Redacted<[UInt8]>, extraJSON: [UInt8] = []) {
    self.secret = secret
    self.extraJSON = extraJSON
  }
}

/// What can be done in one transaction. A transaction that only reads never changes ``state``.
package final class GroupTransaction {
  let group: UnlockedGroup
  let database: Database
  /// The keys of the generation that this transaction leaves behind when it commits.
  var keys: GroupKeys { rotated?.keys ?? group.keys }
  var header: GroupHeader { rotated?.header ?? group.header }
  /// What concerns the whole group; a write transaction stores it when it ends.
  package var state: GroupState
  /// The keys of the generation this transaction moves the group to.
  var rotated: (header: GroupHeader, keys: GroupKeys)?

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
        try group.keys.wrap.opened(sealed, group.header.associatedData(.state))))
  }

  func finish() throws(StoreError) {
    state.changes += 1
    try database.setMeta(
      Format.Meta.state.rawValue,
      try keys.wrap.sealed(Padding.pad(state.encoded()), header.associatedData(.state)))
  }

  // MARK: Accounts

  /// The tag by which an account's row is found.
  package func tag(of identity: AccountIdentity) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("account")
    for part in [identity.homeAccountID, identity.environment, identity.orphanClient] {
      writer.text(part)
    }
    return try keys.tags.made(writer.bytes)
  }

  /// The account with this tag; nil when the group has none.
  package func account(tag: [UInt8]) throws(StoreError) -> StoredAccount? {
    let query = try database.statement(
      "SELECT a.id, a.sheet, k.key_id, k.wrapped FROM account a "
        + "LEFT JOIN account_key k ON k.id = a.id WHERE a.tag = ?")
    try query.bind(1, tag)
    guard try query.step() else { return nil }
    defer { query.reset() }
    return try open(
      row: query.int64(0), tag: tag, record: query.bytes(1), keyID: query.bytes(2),
      wrapped: query.bytes(3))
  }

  /// Calls `body` with every account that opens.
  ///
  /// - Returns: how many accounts do not open.
  /// - Throws: ``StoreError/damaged(rows:)`` when a row is missing, was added from elsewhere, or is
  ///   an older version of itself; what `body` was given is to be believed only once this returns.
  package func forEachAccount(
    _ body: (StoredAccount) throws(StoreError) -> Void
  ) throws(StoreError) -> Int {
    let query = try database.statement(
      "SELECT a.id, a.tag, a.sheet, k.key_id, k.wrapped FROM account a "
        + "LEFT JOIN account_key k ON k.id = a.id")
    defer { query.reset() }
    var rows = RowSum()
    var damaged = 0
    var opened = 0
    while try query.step() {
      let (tag, record, keyID) = (query.bytes(1), query.bytes(2), query.bytes(3))
      rows.add(try rowDigest(tag: tag, keyID: keyID, seal: Array(record.suffix(16))))
      let account: StoredAccount
      do {
        account = try open(
          row: query.int64(0), tag: tag, record: record, keyID: keyID, wrapped: query.bytes(4))
      } catch {
        guard case .damaged = error else { throw error }
        damaged += 1
        continue
      }
      opened += 1
      try body(account)
    }
    guard damaged > 0 || rows == state.rows else { throw .damaged(rows: nil) }
    // Damage to a page may hide rows or show more than there were; the state knows the number.
    let missing = Int(clamping: state.accountCount) - opened
    return damaged > 0 && missing > 0 ? missing : damaged
  }

  /// The tags of the accounts that bear a name, which is folded (``CaseFolding``); empty when the
  /// directory of names has none. What asks for certainty then looks at every account.
  package func tags(named folded: [UInt8]) throws(StoreError) -> [[UInt8]] {
    try nameEntry(try nameTag(folded))
  }

  func rowDigest(tag: [UInt8], keyID: [UInt8], seal: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("row")
    for part in [tag, keyID, seal] { writer.data(part) }
    return try keys.tags.made(writer.bytes)
  }

  private func open(
    row: Int64, tag: [UInt8], record sealed: [UInt8], keyID: [UInt8], wrapped: [UInt8]
  ) throws(StoreError) -> StoredAccount {
    let key: SealingKey
    do {
      key = try SealingKey(
        try keys.wrap.openSecret(wrapped, associatedData: accountKeyData(tag: tag, keyID: keyID)))
    } catch { throw error == .failed ? .damaged(rows: 1) : .crypto }
    let record = try AccountRecord(
      encoded: Padding.unpad(
        try key.opened(sealed, header.associatedData(.accountRecord, account: tag))))
    return StoredAccount(
      tag: tag, keyID: keyID, record: record, row: row, key: key,
      saved: (record, Array(sealed.suffix(16))))
  }

  func accountKeyData(tag: [UInt8], keyID: [UInt8]) -> [UInt8] {
    header.associatedData(.accountKey, account: tag, row: keyID)
  }

  // MARK: Names

  func nameTag(_ folded: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("name")
    writer.data(folded)
    return try keys.tags.made(writer.bytes)
  }

  func nameEntry(_ tag: [UInt8]) throws(StoreError) -> [[UInt8]] {
    let query = try database.statement("SELECT sealed FROM name WHERE tag = ?")
    try query.bind(1, tag)
    guard try query.step() else { return [] }
    defer { query.reset() }
    return try openName(query.bytes(0), tag: tag)
  }

  func openName(_ sealed: [UInt8], tag: [UInt8]) throws(StoreError) -> [[UInt8]] {
    var reader = ByteReader(
      try Padding.unpad(try keys.rows.opened(sealed, header.associatedData(.name, row: tag))))
    let tags = try reader.list { reader throws(StoreError) in try reader.data() }
    try reader.end()
    return tags
  }

  // MARK: Secrets

  /// The secret of one of the account's credentials.
  package func payload(
    of stored: AccountRecord.Stored, in account: StoredAccount
  ) throws(StoreError) -> Payload {
    let query = try database.statement("SELECT sealed FROM record WHERE id = ?")
    try query.bind(1, stored.row)
    guard try query.step() else { throw .damaged(rows: 1) }
    defer { query.reset() }
    let sealed = query.bytes(0)
    guard Array(sealed.suffix(16)) == stored.seal else { throw .damaged(rows: 1) }
    var reader = ByteReader(
      try Padding.unpad(
        try account.key.opened(sealed, recordData(stored.credential, account: account.tag))))
    let payload = Payload(secret: Redacted(try reader.data()), extraJSON: try reader.data())
    try reader.end()
    return payload
  }

  func recordData(_ credential: Credential, account: [UInt8]) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.text("record")
    writer.data(account)
    credential.encodeIdentity(into: &writer)
    let tag = try keys.tags.made(writer.bytes)
    return header.associatedData(.credential, account: account, row: tag)
  }

  // MARK: Extras

  /// What an import brought that belongs to no account; empty for nothing.
  package func extras() throws(StoreError) -> [UInt8] {
    guard let sealed = try database.meta(Format.Meta.extras.rawValue) else { return [] }
    return try Padding.unpad(try keys.wrap.opened(sealed, header.associatedData(.extras)))
  }
}

extension GroupHeader {
  func associatedData(
    _ kind: Format.Kind, account: [UInt8] = [], row: [UInt8] = []
  ) -> [UInt8] {
    Format.associatedData(group: groupID, account: account, kind: kind, row: row)
  }
}

extension SealingKey {
  /// Opens a row: what does not open is damage of that one row.
  func opened(_ sealed: [UInt8], _ associatedData: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try open(sealed, associatedData: associatedData) } catch {
      throw error == .failed ? .damaged(rows: 1) : .crypto
    }
  }

  func sealed(_ plaintext: [UInt8], _ associatedData: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try seal(plaintext, associatedData: associatedData) } catch { throw .crypto }
  }
}

extension TagKey {
  func made(_ message: [UInt8]) throws(StoreError) -> [UInt8] {
    do { return try tag(message) } catch { throw .crypto }
  }
}
