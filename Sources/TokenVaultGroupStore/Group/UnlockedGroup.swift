package import TokenVaultCrypto
import TokenVaultModel

/// An open group file with its keys. Every operation that needs the key is a member of this type or
/// of its transactions.
///
/// Not `Sendable`: use it from one thread at a time. Every read and write runs in a transaction,
/// and each transaction first checks that the group is still in the generation of the held key.
package final class UnlockedGroup {
  package let path: String
  package private(set) var header: GroupHeader
  let database: Database
  private(set) var keys: GroupKeys
  private let file: [UInt64]?
  /// The address of the log's index, 0 if there is none; nil until it is first needed.
  private var logIndex: UInt?
  private var isReadyToWrite = false
  /// Whether the open file is still the one at `path`. A group may have been deleted and created
  /// again.
  package var isInPlace: Bool { FileSafety.identity(of: path) == file }
  /// Whether the last commit failed so late that its frames may be complete in the log. The next
  /// recovery then treats it as committed, unless another commit has taken its place.
  package private(set) var isLastCommitInDoubt = false
  /// The number of commits over this connection.
  package private(set) var commits: UInt64 = 0

  init(
    path: String, header: GroupHeader, database: Database, key: consuming SecretBytes
  ) throws(StoreError) {
    try database.requireExpectedSchema()
    self.path = path
    self.header = header
    self.database = database
    file = FileSafety.identity(of: path)
    keys = try GroupKeys(opening: database, header: header, key: key)
  }

  /// The present state of the file; nil if it cannot be told from a later one. Take it before the
  /// transaction that reads what the mark is to stand for, and drop it before this group.
  package func commitMark() throws(StoreError) -> CommitMark? {
    if logIndex == nil { logIndex = try database.logIndex() }
    guard let file, let index = logIndex, index != 0 else { return nil }
    return CommitMark(path: path, file: file, index: index)
  }

  /// Sets the options that only writing needs, so that a read does not pay for them.
  private func prepareToWrite() throws(StoreError) {
    guard !isReadyToWrite else { return }
    try database.requireWritable(path)
    // The log file stays beside the group file but is truncated: deleted bytes must not remain in
    // it.
    try database.execute(
      "PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA temp_store=MEMORY;"
        + "PRAGMA journal_size_limit=0; PRAGMA cache_size=-\(Self.cacheKibibytes)")
    isReadyToWrite = true
  }

  /// How much of the file SQLite keeps in memory while it writes. The directory of names and the index
  /// of tags have random keys: with the usual 2 MiB, the import of a large group writes each of
  /// their pages to the log and reads it again many times.
  private static let cacheKibibytes = 32_768

  /// Calls `body` with the group's key. `body` must not let the key escape.
  package func withKey<R, E: Error>(
    _ body: (borrowing SecretBytes) throws(E) -> R
  ) throws(E) -> R {
    try body(keys.key)
  }

  /// Runs `body` on a snapshot of the group.
  /// - Throws: ``StoreError/generationChanged`` if the held key belongs to an older generation.
  package func read<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    try database.requireUnchanged()
    try database.statement("BEGIN").run()
    defer { endRead() }
    let result = Result { try body(try GroupTransaction(self)) }
    // Before the result counts, and before an error does: damage may be a change in the middle.
    try database.requireUnchanged()
    return try result.get()
  }

  // A read has nothing to roll back. After an error, SQLite may have ended the transaction already.
  private func endRead() {
    guard database.isInTransaction else { return }
    do { try database.statement("COMMIT").run() } catch { rollBack() }
  }

  private func rollBack() {
    // After a full disk or an I/O error, SQLite has already rolled back.
    guard database.isInTransaction else { return }
    do { try database.execute("ROLLBACK") } catch { return }
  }

  /// Runs `body` with exclusive write access and commits durably. If it throws, nothing has
  /// changed.
  /// - Throws: ``StoreError/generationChanged`` if the held key belongs to an older generation.
  package func write<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    let result = try commit { transaction in
      let result = try body(transaction)
      try transaction.finish()
      return result
    }
    commits += 1
    return result
  }

  /// Commits the state under a new nonce. It does not count as a change of the group.
  func commitUnchanged() throws { try commit { try $0.storeState() } }

  private func executeCommit() throws(StoreError) {
    do { try database.statement("COMMIT").run() } catch {
      // A frame for which the disk has no space leaves the commit incomplete. If the sync fails,
      // with whatever error, the frames may all be in the log.
      isLastCommitInDoubt = !database.foundNoSpace
      throw error
    }
  }

  private func commit<R>(_ body: (GroupTransaction) throws -> R) throws -> R {
    isLastCommitInDoubt = false
    try prepareToWrite()
    try database.statement("BEGIN IMMEDIATE").run()
    database.isWriting = true
    defer { database.isWriting = false }
    do {
      // Another program may have changed the schema since the file was opened.
      try database.requireExpectedSchema()
      let transaction = try GroupTransaction(self)
      let result = try body(transaction)
      try executeCommit()
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

  /// Empties the write-ahead log, so that deleted bytes do not remain there.
  /// - Returns: whether the log is empty; false while another process reads an older snapshot.
  package func truncateLog() throws(StoreError) -> Bool {
    let checkpoint = try database.statement("PRAGMA wal_checkpoint(TRUNCATE)")
    guard try checkpoint.step() else { return false }
    defer { checkpoint.reset() }
    return checkpoint.int64(0) == 0
  }
}
