internal import TokenVaultCSQLite
import Glibc

/// The one door to SQLite: a connection that turns result codes into `StoreError`.
@safe final class Database {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]

  /// Opens an existing file.
  /// - Parameter busyMilliseconds: how long a statement waits for another process.
  init(path: String, busyMilliseconds: Int32) throws(StoreError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    let code = unsafe sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let opened = unsafe handle else {
      let error = unsafe Self.error(code == SQLITE_OK ? SQLITE_NOMEM : code, handle, path)
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    unsafe self.handle = opened
    unsafe sqlite3_extended_result_codes(opened, 1)
    unsafe sqlite3_busy_timeout(opened, busyMilliseconds)
    // A group file may come from anywhere: nothing in its schema is trusted to run.
    unsafe tv_sqlite3_harden(opened)
    // SQLite opens what it may not write for reading alone, and fails later with another code.
    guard unsafe sqlite3_db_readonly(opened, "main") == 0 else { throw .readOnly(path: path) }
  }

  /// Leaves the emptied log and its index beside the file when the connection closes: to make and
  /// remove them for each read costs as much as the read.
  func keepLogFiles() { unsafe tv_sqlite3_persist_wal(handle) }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs statements that give no rows.
  func execute(_ sql: String) throws(StoreError) {
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe Self.error(code, handle) }
  }

  /// A prepared statement, kept for the next call; it is reset and its values are cleared.
  func statement(_ sql: String) throws(StoreError) -> Statement {
    // One that still gives rows belongs to a caller further up; resetting it would begin its rows
    // again.
    if let kept = statements[sql], !kept.isBusy {
      kept.reset()
      return kept
    }
    var prepared: OpaquePointer?
    let code = unsafe sqlite3_prepare_v3(
      handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
    guard code == SQLITE_OK, let compiled = unsafe prepared else {
      throw unsafe Self.error(code, handle)
    }
    let statement = unsafe Statement(compiled)
    statements[sql] = statement
    return statement
  }

  /// Puts a snapshot of the whole database in the place of another's content, in one step.
  func copy(to target: Database) throws(StoreError) {
    guard let backup = unsafe sqlite3_backup_init(target.handle, "main", handle, "main") else {
      throw unsafe Self.error(sqlite3_extended_errcode(target.handle), target.handle)
    }
    let code = unsafe sqlite3_backup_step(backup, -1)
    let end = unsafe sqlite3_backup_finish(backup)
    guard code == SQLITE_DONE, end == SQLITE_OK else {
      throw unsafe Self.error(code == SQLITE_DONE ? end : code, target.handle)
    }
  }

  /// The rowid of the row inserted last.
  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
  /// How many rows the last statement changed.
  var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }
  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// Our own statements are constant and right, so what SQLite calls an error in one of them, or
  /// a type it did not expect, is a schema that is not ours any more: damage.
  static func error(
    _ extended: Int32, _ handle: OpaquePointer?, _ known: String = ""
  ) -> StoreError {
    let name = unsafe handle.flatMap { unsafe sqlite3_db_filename($0, "main") }
    let path = unsafe name.map { unsafe String(cString: $0) } ?? known
    switch extended & 0xff {
    case SQLITE_BUSY, SQLITE_LOCKED, SQLITE_PROTOCOL: return .busy
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_MISMATCH, SQLITE_CONSTRAINT,
      SQLITE_SCHEMA, SQLITE_FORMAT, SQLITE_RANGE, SQLITE_INTERNAL:
      return .damaged(rows: nil)
    case SQLITE_FULL: return .diskFull
    case SQLITE_READONLY: return .readOnly(path: path)
    case SQLITE_TOOBIG: return .damaged(rows: nil)
    // SQLITE_IOERR_SHORT_READ (a macro Swift cannot import): a page that the file has only in part.
    case SQLITE_IOERR where extended >> 8 == 2: return .damaged(rows: nil)
    default: break
    }
    // What the system said is clearer than what SQLite made of it.
    switch unsafe handle.map({ unsafe sqlite3_system_errno($0) }) ?? 0 {
    case ENOSPC, EDQUOT: return .diskFull
    case EROFS, EACCES, EPERM: return .readOnly(path: path)
    default: return .io(call: "sqlite", code: 1000 + extended)
    }
  }
}

/// A prepared statement. Values are bound from 1 and read from 0, as SQLite counts them.
@safe final class Statement {
  private let handle: OpaquePointer

  fileprivate init(_ handle: OpaquePointer) { unsafe self.handle = unsafe handle }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Whether it has given a row and was not reset since.
  var isBusy: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

  func reset() {
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
    try check(unsafe sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) throws(StoreError) {
    let code = unsafe bytes.withUnsafeBytes { buffer in
      // An empty array may have no address, which SQLite would take for NULL.
      unsafe buffer.baseAddress == nil
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : tv_sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count))
    }
    try check(code)
  }

  /// Whether there is a (further) row.
  func step() throws(StoreError) -> Bool {
    let code = unsafe sqlite3_step(handle)
    switch code {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      unsafe sqlite3_reset(handle)
      return false
    default:
      unsafe sqlite3_reset(handle)
      throw error(code)
    }
  }

  /// Runs a statement that gives no rows.
  func run() throws(StoreError) {
    while try step() {}
  }

  func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> StoreError {
    unsafe Database.error(code, sqlite3_db_handle(handle))
  }
}
