import TokenVaultCrypto
package import TokenVaultModel

// The operations of a write transaction. Each updates the digests of the account rows and the
// directory of names in the same transaction.
extension GroupTransaction {
  /// Stores a new account under a fresh account key.
  package func insert(_ record: AccountRecord) throws(StoreError) -> StoredAccount {
    let tag = try tag(of: record.identity)
    let keys = try makeAccountKey(tag: tag)
    let sealed = try seal(record, key: keys.key, tag: tag)
    let insertion = try database.statement("INSERT INTO account(id, tag, sheet) VALUES(?3, ?1, ?2)")
    try insertion.bind(1, tag)
    try insertion.bind(2, sealed)
    // Without a number, SQLite would use the one after the greatest, which may be forged.
    if let tree { try insertion.bind(3, tree.root.last + 1) }
    try insertion.run()
    let row = database.lastInsertedRow
    try setAccountKey(keys, row: row)
    let seal = Array(sealed.suffix(16))
    try changeDigest(ofRow: row, from: nil, to: rowDigest(tag: tag, keyID: keys.id, seal: seal))
    state.accountCount &+= 1
    // Tokens that were imported with an unresolved environment are not an account.
    if !record.environment.isEmpty { state.accountsEver = min(2, state.accountsEver + 1) }
    for name in record.names { try addName(name, of: tag) }
    return StoredAccount(
      tag: tag, keyID: keys.id, record: record, row: row, key: keys.key, saved: (record, seal))
  }

  /// Writes the account record, if it changed.
  /// - Throws: ``StoreError/accountGone`` if the row is no longer the one that was read.
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
    try changeDigest(
      ofRow: account.row, from: rowDigest(account),
      to: rowDigest(tag: account.tag, keyID: account.keyID, seal: seal))
    let (old, new) = (account.saved.record.names, account.record.names)
    for name in old.subtracting(new) { try removeName(name, of: account.tag) }
    for name in new.subtracting(old) { try addName(name, of: account.tag) }
    account.saved = (account.record, seal)
  }

  /// Stores a credential and its secret, and removes the credentials that it replaces. Call
  /// ``update(_:)`` in the same transaction to write the account record.
  /// - Throws: ``StoreError/accountGone`` if the row is no longer the one that was read.
  package func store(
    _ credential: Credential, _ payload: CredentialPayload, issuer: AccountRecord.Issuer? = nil,
    in account: inout StoredAccount
  ) throws(StoreError) {
    let sealed = try seal(payload, credential, key: account.key, tag: account.tag)
    let former = account.record.stored.last { credential.replaces($0.credential) }
    try removeCredentials(of: &account, keepingRow: former?.row) { credential.replaces($0) }
    account.record.stored.append(
      try write(sealed, of: credential, issuer: issuer, row: account.row, over: former?.row))
  }

  /// Removes the credentials for which `condition` is true, with their secrets. Call ``update(_:)``
  /// in the same transaction to write the account record.
  /// - Throws: ``StoreError/accountGone`` if the row is no longer the one that was read.
  package func removeCredentials(
    of account: inout StoredAccount, where condition: (Credential) -> Bool
  ) throws(StoreError) {
    try removeCredentials(of: &account, keepingRow: nil, where: condition)
  }

  /// - Parameter row: the row that is about to get the secret of another credential.
  private func removeCredentials(
    of account: inout StoredAccount, keepingRow row: Int64?, where condition: (Credential) -> Bool
  ) throws(StoreError) {
    try requirePresent(account)
    for stored in account.record.stored where condition(stored.credential) && stored.row != row {
      let deletion = try database.statement("DELETE FROM record WHERE id = ?")
      try deletion.bind(1, stored.row)
      try deletion.run()
    }
    account.record.stored.removeAll { condition($0.credential) }
  }

  /// Stores data that belongs to no account; empty bytes remove it.
  package func setExtras(_ bytes: [UInt8]) throws(StoreError) {
    guard !bytes.isEmpty else { return try setSealed(.extras, nil) }
    try setSealed(
      .extras, keys.wrap.sealRow(Padding.pad(bytes), header.associatedData(.extras)))
  }

  /// Deletes the account's rows in the present generation, so that backups of the other accounts stay
  /// usable. It is no erasure: the group's key still opens a copy of the rows.
  package func remove(_ account: StoredAccount) throws(StoreError) {
    try delete(account)
    try forgetMissingPrincipals()
  }

  /// Deletes the account's rows. This alone is no erasure, because the group's key still opens a
  /// copy of them: see ``rotate(to:erasing:boot:deletesOldKey:)``.
  func delete(_ account: StoredAccount) throws(StoreError) {
    // SQLite reuses row numbers, so this checks that the row is still the one that was read.
    let present = try database.statement(
      "DELETE FROM account WHERE id = ?1 AND tag = ?2 AND substr(sheet, -16) = ?3"
        + " AND EXISTS(SELECT 1 FROM account_key WHERE id = ?1 AND key_id = ?4)")
    try present.bind(1, account.row)
    try present.bind(2, account.tag)
    try present.bind(3, account.saved.seal)
    try present.bind(4, account.keyID)
    try present.run()
    guard database.changedRows == 1 else { throw .accountGone }
    try deleteRecords(of: account)
    let keyDeletion = try database.statement("DELETE FROM account_key WHERE id = ?")
    try keyDeletion.bind(1, account.row)
    try keyDeletion.run()
    try changeDigest(ofRow: account.row, from: rowDigest(account), to: nil)
    // A wrong number must not prevent an erasure.
    if state.accountCount > 0 { state.accountCount -= 1 }
    for name in account.saved.record.names {
      do { try removeName(name, of: account.tag) } catch {
        // A damaged entry in the directory of names must not prevent an erasure.
        guard case .damaged = error else { throw error }
      }
    }
    if state.current == account.tag { state.current = nil }
    state.forgetPrincipal(account.tag)
  }

  /// Deletes the rows of the account's secrets, those that it lists and those that name it: another
  /// program may have given a row to another account, so that a sign-out would leave it.
  func deleteRecords(of account: StoredAccount) throws(StoreError) {
    let own = try database.statement("DELETE FROM record WHERE account = ?")
    try own.bind(1, account.row)
    try own.run()
    for stored in account.saved.record.stored {
      let deletion = try database.statement("DELETE FROM record WHERE id = ?")
      try deletion.bind(1, stored.row)
      try deletion.run()
    }
  }

  /// Throws ``StoreError/accountGone`` unless the row is the one that was read. Rows of secrets are
  /// found by the account's row number, and SQLite reuses row numbers.
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

  func addName(_ name: [UInt8], of account: [UInt8]) throws(StoreError) {
    let tag = try nameTag(name)
    // Nearly every name is new, and then there is nothing to read before.
    try writeName(tag, [account], "INSERT OR IGNORE INTO name(tag, sealed) VALUES(?, ?)")
    guard database.changedRows == 0 else { return }
    var accounts = try nameEntry(tag)
    guard !accounts.contains(account) else { return }
    accounts.append(account)
    try setName(tag, accounts)
  }

  private func removeName(_ name: [UInt8], of account: [UInt8]) throws(StoreError) {
    let tag = try nameTag(name)
    try setName(tag, try nameEntry(tag).filter { $0 != account })
  }

  private func setName(_ tag: [UInt8], _ accounts: [[UInt8]]) throws(StoreError) {
    guard !accounts.isEmpty else {
      let deletion = try database.statement("DELETE FROM name WHERE tag = ?")
      try deletion.bind(1, tag)
      return try deletion.run()
    }
    try writeName(tag, accounts, "INSERT OR REPLACE INTO name(tag, sealed) VALUES(?, ?)")
  }

  private func writeName(
    _ tag: [UInt8], _ accounts: [[UInt8]], _ statement: String
  ) throws(StoreError) {
    var writer = ByteWriter()
    writer.list(accounts) { $0.data($1) }
    let change = try database.statement(statement)
    try change.bind(1, tag)
    try change.bind(
      2,
      try keys.rows.sealRow(Padding.pad(writer.bytes), header.associatedData(.name, row: tag)))
    try change.run()
  }
}

extension GroupTransaction {
  /// Deletes an account and stores it again under a fresh account key, with `record` and exactly
  /// these credentials. A refresh token stays bound to its issuer.
  package func replace(
    _ account: StoredAccount, with record: AccountRecord,
    credentials: [(AccountRecord.StoredCredential, CredentialPayload)]
  ) throws(StoreError) -> StoredAccount {
    let (current, principals, accountsEver) = (state.current, state.principals, state.accountsEver)
    try delete(account)
    var record = record
    record.stored = []
    var fresh = try insert(record)
    for (entry, payload) in credentials {
      try store(entry.credential, payload, issuer: entry.issuer, in: &fresh)
    }
    try update(&fresh)
    // The account has the same tag as before, and is not another one.
    (state.current, state.principals, state.accountsEver) = (current, principals, accountsEver)
    return fresh
  }
}

extension GroupTransaction {
  /// Drops tags that a program which kept those of erased accounts left in the state.
  func forgetMissingPrincipals() throws(StoreError) {
    for tag in Set(state.principals.values.compactMap(\.account)) {
      let query = try database.statement("SELECT 1 FROM account WHERE tag = ?")
      try query.bind(1, tag)
      if try query.step() { query.reset() } else { state.forgetPrincipal(tag) }
    }
  }
}
