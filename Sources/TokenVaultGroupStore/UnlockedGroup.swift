package import TokenVaultCrypto
import TokenVaultModel

/// An open group file with its keys: what needs the key exists only here.
///
/// Not Sendable: one thread at a time. Every read and write runs in a transaction, and the first
/// thing a transaction looks at is whether the group is still of the generation whose key is held.
package final class UnlockedGroup {
  package let path: String
  package private(set) var header: GroupHeader
  let database: Database
  private(set) var keys: GroupKeys
  private let file: [UInt64]?
  private var isReadyToWrite = false
  /// Whether the open file still has its name: a group may be deleted and made anew.
  package var isInPlace: Bool { FileSafety.identity(of: path) == file }
  /// How many changes went over this connection.
  package private(set) var commits: UInt64 = 0

  init(
    path: String, header: GroupHeader, database: Database, key: consuming SecretBytes
  ) throws(StoreError) {
    self.path = path
    self.header = header
    self.database = database
    file = FileSafety.identity(of: path)
    keys = try GroupKeys(opening: database, header: header, key: key)
    try database.execute("PRAGMA cell_size_check=ON")
  }

  /// What concerns writing alone; a read does not pay for it.
  private func prepareToWrite() throws(StoreError) {
    guard !isReadyToWrite else { return }
    // The log that stays is emptied: what was deleted must not be found in it.
    try database.execute(
      "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;"
        + "PRAGMA journal_size_limit=0")
    isReadyToWrite = true
  }

  /// The group's key; the body must not let it out of its reach.
  package func withKey<R, E: Error>(
    _ body: (borrowing SecretBytes) throws(E) -> R
  ) throws(E) -> R {
    try body(keys.key)
  }

  /// Runs `body` over one snapshot of the group.
  /// - Throws: ``StoreError/generationChanged`` when the held key is an older generation's.
  package func read<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    try database.execute("BEGIN")
    defer { endRead() }
    return try body(try GroupTransaction(self))
  }

  // A read has nothing to roll back; SQLite may have ended the transaction on an error already.
  private func endRead() {
    guard database.isInTransaction else { return }
    do { try database.execute("COMMIT") } catch { rollBack() }
  }

  private func rollBack() {
    // absent is an answer: SQLite has rolled back by itself after a full disk or an I/O error.
    guard database.isInTransaction else { return }
    do { try database.execute("ROLLBACK") } catch { return }
  }

  /// Runs `body` alone over the group and commits durably; when it throws, nothing has changed.
  package func write<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    try prepareToWrite()
    try database.execute("BEGIN IMMEDIATE")
    do {
      let transaction = try GroupTransaction(self)
      let result = try body(transaction)
      try transaction.finish()
      try database.execute("COMMIT")
      commits += 1
      if let next = transaction.rotated {
        header = next.header
        keys = next.keys
      }
      return result
    } catch {
      rollBack()
      throw error
    }
  }

  /// Empties the write-ahead log, so that bytes which were deleted do not stay there.
  /// - Returns: whether it is empty; false while another process reads an older snapshot.
  package func truncateLog() throws(StoreError) -> Bool {
    let checkpoint = try database.statement("PRAGMA wal_checkpoint(TRUNCATE)")
    guard try checkpoint.step() else { return false }
    defer { checkpoint.reset() }
    return checkpoint.int64(0) == 0
  }
}

/// The keys of one generation, and what does not change with it.
final class GroupKeys {
  /// K(g).
  let key: SecretBytes
  /// Seals what must not open with a later generation's key: account keys, the lookup key, the
  /// check, the state and the extras.
  let wrap: SealingKey
  /// Made once per group.
  let lookup: SecretBytes
  /// Makes the tags by which rows are found.
  let tags: TagKey
  /// Seals the directory of names, which holds nothing but tags.
  let rows: SealingKey

  init(key: consuming SecretBytes, lookup: consuming SecretBytes, group: [UInt8]) throws(StoreError)
  {
    wrap = try LockedGroup.wrappingKey(key, group: group)
    let tagKey = try Format.derive(lookup, group: group, purpose: "tags")
    let rowKey = try Format.derive(lookup, group: group, purpose: "rows")
    do {
      tags = try TagKey(tagKey)
      rows = try SealingKey(rowKey)
    } catch { throw .crypto }
    self.key = key
    self.lookup = lookup
  }

  convenience init(
    opening database: Database, header: GroupHeader, key: consuming SecretBytes
  ) throws(StoreError) {
    let wrap = try LockedGroup.wrappingKey(key, group: header.groupID)
    guard let sealed = try database.meta(Format.Meta.lookupKey.rawValue) else {
      throw .damaged(rows: nil)
    }
    let lookup: SecretBytes
    do {
      lookup = try wrap.openSecret(sealed, associatedData: try header.lookupKeyData())
    } catch let error as CryptoError {
      guard error == .failed else { throw .crypto }
      throw try Self.whyUnopened(database, header: header, wrap: wrap)
    } catch let error as StoreError {
      throw error
    } catch { throw .crypto }
    try self.init(key: key, lookup: lookup, group: header.groupID)
  }

  /// The check tells the wrong key from a damaged file. A rotation since the header was read makes
  /// the right key look wrong, so the header is read again.
  private static func whyUnopened(
    _ database: Database, header: GroupHeader, wrap: SealingKey
  ) throws(StoreError) -> StoreError {
    guard try LockedGroup.readHeader(database) == header else { return .generationChanged }
    guard let check = try database.meta(Format.Meta.check.rawValue) else {
      return .damaged(rows: nil)
    }
    let data = Format.associatedData(group: header.groupID, kind: .check)
    do {
      _ = try wrap.open(check, associatedData: data)
      return .damaged(rows: nil)
    } catch { return error == .failed ? .wrongKey : .crypto }
  }

  /// Writes the rows that stand under K(g): the check and the lookup key.
  func write(to database: Database, header: GroupHeader) throws(StoreError) {
    let check: [UInt8]
    let sealedLookup: [UInt8]
    do {
      check = try wrap.seal(
        Format.checkPlaintext,
        associatedData: Format.associatedData(group: header.groupID, kind: .check))
      sealedLookup = try wrap.seal(lookup, associatedData: try header.lookupKeyData())
    } catch let error as StoreError { throw error } catch { throw .crypto }
    try database.setMeta(Format.Meta.header.rawValue, try header.encoded())
    try database.setMeta(Format.Meta.check.rawValue, check)
    try database.setMeta(Format.Meta.lookupKey.rawValue, sealedLookup)
  }
}

extension GroupHeader {
  /// The lookup key's associated data binds the header, so that no byte of it can be exchanged.
  func lookupKeyData() throws(StoreError) -> [UInt8] {
    Format.associatedData(group: groupID, kind: .lookupKey, row: try encoded())
  }
}
