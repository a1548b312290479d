import TokenVaultCrypto
package import TokenVaultModel

// What a write transaction can do. The sum over the account rows and the directory of names
// follow each change within the same transaction.
extension GroupTransaction {
  /// Stores a new account under a fresh account key.
  package func insert(_ record: AccountRecord) throws(StoreError) -> StoredAccount {
    let tag = try tag(of: record.identity)
    let keyID: [UInt8]
    let key: SealingKey
    let wrapped: [UInt8]
    do {
      keyID = try RandomBytes.make(16)
      let secret = try SecretBytes.random(count: 32)
      wrapped = try keys.wrap.seal(
        secret, associatedData: accountKeyData(tag: tag, keyID: keyID))
      key = try SealingKey(secret)
    } catch { throw .crypto }
    let sealed = try seal(record, key: key, tag: tag)
    let insertion = try database.statement("INSERT INTO account(tag, sheet) VALUES(?, ?)")
    try insertion.bind(1, tag)
    try insertion.bind(2, sealed)
    try insertion.run()
    let row = database.lastInsertedRow
    let keyInsertion = try database.statement(
      "INSERT INTO account_key(id, key_id, wrapped) VALUES(?, ?, ?)")
    try keyInsertion.bind(1, row)
    try keyInsertion.bind(2, keyID)
    try keyInsertion.bind(3, wrapped)
    try keyInsertion.run()
    let seal = Array(sealed.suffix(16))
    state.rows.add(try rowDigest(tag: tag, keyID: keyID, seal: seal))
    state.accountCount += 1
    for name in record.names { try list(tag, under: name) }
    return StoredAccount(
      tag: tag, keyID: keyID, record: record, row: row, key: key, saved: (record, seal))
  }

  /// Writes the account's account record, if it changed.
  package func update(_ account: inout StoredAccount) throws(StoreError) {
    guard account.record != account.saved.record else { return }
    let sealed = try seal(account.record, key: account.key, tag: account.tag)
    let change = try database.statement(
      "UPDATE account SET sheet = ?1 WHERE id = ?2 AND tag = ?3 AND substr(sheet, -16) = ?5"
        + " AND EXISTS(SELECT 1 FROM account_key WHERE id = ?2 AND key_id = ?4)")
    try change.bind(1, sealed)
    try change.bind(2, account.row)
    try change.bind(3, account.tag)
    try change.bind(4, account.keyID)
    try change.bind(5, account.saved.seal)
    try change.run()
    guard database.changedRows == 1 else { throw .accountGone }
    let seal = Array(sealed.suffix(16))
    state.rows.subtract(
      try rowDigest(tag: account.tag, keyID: account.keyID, seal: account.saved.seal))
    state.rows.add(try rowDigest(tag: account.tag, keyID: account.keyID, seal: seal))
    let (old, new) = (account.saved.record.names, account.record.names)
    for name in old.subtracting(new) { try unlist(account.tag, under: name) }
    for name in new.subtracting(old) { try list(account.tag, under: name) }
    account.saved = (account.record, seal)
  }

  /// Stores a credential and its secret, in the place of those it replaces. The account record is written
  /// by ``update(_:)``, in the same transaction.
  package func store(
    _ credential: Credential, _ payload: Payload, in account: inout StoredAccount
  ) throws(StoreError) {
    try removeCredentials(of: &account) { credential.replaces($0) }
    var writer = ByteWriter()
    writer.data(payload.secret.reveal())
    writer.data(payload.extraJSON)
    let sealed = try account.key.sealed(
      Padding.pad(writer.bytes), recordData(credential, account: account.tag))
    let insertion = try database.statement("INSERT INTO record(account, sealed) VALUES(?, ?)")
    try insertion.bind(1, account.row)
    try insertion.bind(2, sealed)
    try insertion.run()
    account.record.stored.append(
      AccountRecord.Stored(
        credential: credential, row: database.lastInsertedRow, seal: Array(sealed.suffix(16))))
  }

  /// Removes the credentials that `condition` picks, with their secrets.
  package func removeCredentials(
    of account: inout StoredAccount, where condition: (Credential) -> Bool
  ) throws(StoreError) {
    try requirePresent(account)
    for stored in account.record.stored where condition(stored.credential) {
      let deletion = try database.statement("DELETE FROM record WHERE id = ?")
      try deletion.bind(1, stored.row)
      try deletion.run()
    }
    account.record.stored.removeAll { condition($0.credential) }
  }

  /// Stores what belongs to no account.
  package func setExtras(_ bytes: [UInt8]) throws(StoreError) {
    guard !bytes.isEmpty else { return try database.removeMeta(Format.Meta.extras.rawValue) }
    try database.setMeta(
      Format.Meta.extras.rawValue,
      try keys.wrap.sealed(Padding.pad(bytes), header.associatedData(.extras)))
  }

  /// Deletes the account's rows. The key that could open a copy of them is the group's key too,
  /// so this is never an erasure alone: see ``rotate(to:erasing:boot:keepsWrappedSuccessor:deletesOldKey:)``.
  func delete(_ account: StoredAccount) throws(StoreError) {
    // Row numbers are used again: the row must still be this account's, as it was read.
    let present = try database.statement(
      "DELETE FROM account WHERE id = ?1 AND tag = ?2 AND substr(sheet, -16) = ?3"
        + " AND EXISTS(SELECT 1 FROM account_key WHERE id = ?1 AND key_id = ?4)")
    try present.bind(1, account.row)
    try present.bind(2, account.tag)
    try present.bind(3, account.saved.seal)
    try present.bind(4, account.keyID)
    try present.run()
    guard database.changedRows == 1 else { throw .accountGone }
    for sql in ["DELETE FROM record WHERE account = ?", "DELETE FROM account_key WHERE id = ?"] {
      let deletion = try database.statement(sql)
      try deletion.bind(1, account.row)
      try deletion.run()
    }
    state.rows.subtract(
      try rowDigest(tag: account.tag, keyID: account.keyID, seal: account.saved.seal))
    state.accountCount -= 1
    for name in account.saved.record.names {
      do { try unlist(account.tag, under: name) } catch {
        // A damaged entry of the directory does not stand in the way of an erasure.
        guard case .damaged = error else { throw error }
      }
    }
    if state.current == account.tag { state.current = nil }
  }

  /// Rows of secrets are found by number, and numbers are used again.
  private func requirePresent(_ account: StoredAccount) throws(StoreError) {
    let query = try database.statement(
      "SELECT 1 FROM account a JOIN account_key k ON k.id = a.id WHERE a.id = ? AND a.tag = ?"
        + " AND substr(a.sheet, -16) = ? AND k.key_id = ?")
    try query.bind(1, account.row)
    try query.bind(2, account.tag)
    try query.bind(3, account.saved.seal)
    try query.bind(4, account.keyID)
    guard try query.step() else { throw .accountGone }
    query.reset()
  }

  private func seal(
    _ record: AccountRecord, key: SealingKey, tag: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    try key.sealed(
      Padding.pad(record.encoded()), header.associatedData(.accountRecord, account: tag))
  }

  private func list(_ account: [UInt8], under name: [UInt8]) throws(StoreError) {
    let tag = try nameTag(name)
    var accounts = try nameEntry(tag)
    guard !accounts.contains(account) else { return }
    accounts.append(account)
    try setName(tag, accounts)
  }

  private func unlist(_ account: [UInt8], under name: [UInt8]) throws(StoreError) {
    let tag = try nameTag(name)
    try setName(tag, try nameEntry(tag).filter { $0 != account })
  }

  private func setName(_ tag: [UInt8], _ accounts: [[UInt8]]) throws(StoreError) {
    guard !accounts.isEmpty else {
      let deletion = try database.statement("DELETE FROM name WHERE tag = ?")
      try deletion.bind(1, tag)
      return try deletion.run()
    }
    var writer = ByteWriter()
    writer.list(accounts) { $0.data($1) }
    let change = try database.statement("INSERT OR REPLACE INTO name(tag, sealed) VALUES(?, ?)")
    try change.bind(1, tag)
    try change.bind(
      2,
      try keys.rows.sealed(Padding.pad(writer.bytes), header.associatedData(.name, row: tag)))
    try change.run()
  }
}

extension GroupTransaction {
  /// Takes an account out and stores it again under a fresh account key, with these credentials.
  package func replace(
    _ account: StoredAccount, with record: AccountRecord, credentials: [(Credential, Payload)]
  ) throws(StoreError) -> StoredAccount {
    let wasCurrent = state.current == account.tag
    try delete(account)
    var record = record
    record.stored = []
    var fresh = try insert(record)
    for (credential, payload) in credentials { try store(credential, payload, in: &fresh) }
    try update(&fresh)
    if wasCurrent { state.current = fresh.tag }
    return fresh
  }
}
