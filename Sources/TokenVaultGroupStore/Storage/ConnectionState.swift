internal import TokenVaultCSQLite

/// The part of a ``Database`` that its statements share. A statement may outlive the database, and then
/// SQLite keeps the connection open.
final class ConnectionState {
  /// Whether the caller is in a write transaction, from its beginning to its commit.
  var isWriting = false
  private let limit: ScanLimit

  init(_ limit: ScanLimit) { self.limit = limit }

  /// Called before SQLite runs a part of a statement.
  func beginStep(on connection: OpaquePointer?) throws(StoreError) {
    limit.begin()
    // After an error of memory, of the disk or of ``ScanLimit``, SQLite ends the transaction. The caller
    // may take the error for damage that it can work around, and each statement that followed would
    // be a transaction of its own: a rotation would commit its header without the keys of the accounts.
    guard isWriting, unsafe sqlite3_get_autocommit(connection) != 0 else { return }
    throw .io(call: "sqlite", code: 1000 + SQLITE_ABORT)
  }

  /// Whether a statement returned more rows than the file can have.
  func isExceeded(rows: Int64) -> Bool { limit.isExceeded(rows: rows) }
}
