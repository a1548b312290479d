import TokenVaultCrypto
import TokenVaultModel

// A rotation wraps the keys of rows again and leaves the rows as they are: a key that was once read
// from the file still opens them. A renewal replaces every key and encrypts every row again.
extension GroupTransaction {
  /// The accounts' new tags by their former ones, and the number of accounts that do not open.
  package struct Renewed {
    package internal(set) var tags: [[UInt8]: [UInt8]] = [:]
    package internal(set) var unreadable = 0
    /// The number of credentials of readable accounts that do not open.
    package internal(set) var unreadableCredentials = 0

    package init() {}
  }

  /// Gives the group a new lookup key, and each account a new tag, key and key id, and encrypts
  /// every row again. Call it after
  /// ``rotate(to:erasing:boot:deletesOldKey:)`` in the same transaction, and set
  /// the slots again, each with a new key.
  ///
  /// Accounts are read and written one at a time. An account or credential that does not open stays
  /// unreadable; its bytes are replaced, because a former key might open some of them.
  /// - Parameter progress: Called after each account with the number of accounts so far.
  /// - Throws: ``StoreError/damaged(rows:)`` if a row is missing, was added by another program, or
  ///   was replaced by an older version.
  package func renew(progress: (Int) -> Void = { _ in }) throws(StoreError) -> Renewed {
    guard let present = rotated else { throw .damaged(rows: nil) }
    try tree?.write()
    var missing = try tree?.census().rows
    let former = GroupTransaction(readingFor: self)
    let keys: GroupKeys
    do {
      keys = try GroupKeys(
        key: try present.keys.key.clone(), lookup: try SecretBytes.random(count: 32),
        group: header.groupID)
    } catch let error as StoreError { throw error } catch { throw .crypto }
    rotated = (present.header, keys)
    try keys.write(to: database, header: present.header)
    try database.statement("DELETE FROM name").run()
    tree = RowTree(replacing: database, key: keys.tags)
    var renewed = Renewed()
    var (last, count) = (Int64.min, 0)
    while let row = try former.account(after: last) {
      last = row.id
      missing?.remove(row.id)
      if let account = try former.openIfReadable(row) {
        guard try former.isPresent(row) else { throw .damaged(rows: nil) }
        let (tag, unreadable) = try renew(account, reading: former)
        renewed.tags[row.tag] = tag
        renewed.unreadableCredentials += unreadable
      } else {
        try scramble(row)
        renewed.unreadable += 1
      }
      count += 1
      progress(count)
    }
    guard missing?.isEmpty != false else { throw .damaged(rows: nil) }
    try removeStrayRows()
    try renewExtras()
    moveReferences(renewed.tags)
    return renewed
  }

  private func openIfReadable(_ row: SealedAccount) throws(StoreError) -> StoredAccount? {
    do { return try openAnyVersion(row) } catch {
      guard case .damaged = error else { throw error }
      return nil
    }
  }

  private func renew(
    _ account: StoredAccount, reading former: GroupTransaction
  ) throws(StoreError) -> (tag: [UInt8], unreadableCredentials: Int) {
    let tag = try tag(of: account.record.identity)
    let keys = try makeAccountKey(tag: tag)
    var sealed: [(entry: AccountRecord.StoredCredential, bytes: [UInt8])] = []
    var unreadable = 0
    for stored in account.record.stored {
      let bytes: [UInt8]
      do {
        bytes = try seal(
          try former.payload(of: stored, in: account), stored.credential, key: keys.key, tag: tag)
      } catch {
        guard case .damaged = error else { throw error }
        do { bytes = try RandomBytes.make(256) } catch { throw .crypto }
        unreadable += 1
      }
      sealed.append((stored, bytes))
    }
    try deleteRecords(of: account)
    var record = account.record
    record.stored = []
    for (entry, bytes) in sealed {
      record.stored.append(
        try write(bytes, of: entry.credential, issuer: entry.issuer, row: account.row))
    }
    let bytes = try seal(record, key: keys.key, tag: tag)
    let change = try database.statement("UPDATE account SET tag = ?, sheet = ? WHERE id = ?")
    try change.bind(1, tag)
    try change.bind(2, bytes)
    try change.bind(3, account.row)
    try change.run()
    try setAccountKey(keys, row: account.row)
    try changeDigest(
      ofRow: account.row, from: nil,
      to: rowDigest(tag: tag, keyID: keys.id, seal: Array(bytes.suffix(16))))
    for name in record.names { try addName(name, of: tag) }
    return (tag, unreadable)
  }

  /// Replaces the bytes of an account that does not open.
  private func scramble(_ row: SealedAccount) throws(StoreError) {
    for sql in [
      "UPDATE account SET tag = randomblob(32), sheet = randomblob(length(sheet)) WHERE id = ?",
      "UPDATE account_key SET key_id = randomblob(16), wrapped = randomblob(length(wrapped))"
        + " WHERE id = ?",
      "UPDATE record SET sealed = randomblob(length(sealed)) WHERE account = ?",
    ] {
      let change = try database.statement(sql)
      try change.bind(1, row.id)
      try change.run()
    }
    guard let scrambled = try account(after: row.id - 1), scrambled.id == row.id else {
      throw .damaged(rows: nil)
    }
    try changeDigest(ofRow: row.id, from: nil, to: rowDigest(scrambled))
  }

  /// Removes rows that belong to no account. A former key might open them.
  private func removeStrayRows() throws(StoreError) {
    for sql in [
      "DELETE FROM record WHERE account NOT IN (SELECT id FROM account)",
      "DELETE FROM account_key WHERE id NOT IN (SELECT id FROM account)",
    ] { try database.statement(sql).run() }
  }

  /// The rotation encrypted the extras under the new key, unless they do not open.
  private func renewExtras() throws(StoreError) {
    do { _ = try extras() } catch {
      guard case .damaged = error else { throw error }
      let change = try database.statement(
        "UPDATE meta SET value = randomblob(length(value)) WHERE id = ?")
      try change.bind(1, Format.Meta.extras.rawValue)
      try change.run()
    }
  }

  private func moveReferences(_ tags: [[UInt8]: [UInt8]]) {
    state.current = state.current.flatMap { tags[$0] }
    for (client, principal) in state.principals {
      state.principals[client]?.account = principal.account.flatMap { tags[$0] }
    }
  }
}
