internal import TokenVaultCSQLite
internal import TokenVaultCVFS
import Glibc
import TokenVaultSystem

/// A connection to an SQLite database. It turns SQLite's result codes into `StoreError`.
@safe final class Database {
  private let handle: OpaquePointer
  private var statements: [String: Statement] = [:]
  private let connection: ConnectionState

  /// Whether the file can only be read, because of its mode or its file system.
  let isReadOnly: Bool

  /// Whether the caller is in a write transaction, from its beginning to its commit.
  var isWriting: Bool {
    get { connection.isWriting }
    set { connection.isWriting = newValue }
  }

  /// The path of the file.
  private let path: String
  /// The file and its log as they were before they were opened without locks; nil if SQLite uses
  /// locks.
  private let stateWithoutLocks: [Int]?

  /// Opens an existing file, for writing too if that is possible.
  /// - Parameters:
  ///   - busyMilliseconds: how long a statement waits for a lock of another process.
  ///   - file: the identity of the file that was checked; nil if any file will do.
  /// - Throws: ``StoreError/busy`` if another file has taken the place of `file`.
  init(path: String, busyMilliseconds: Int32, expecting file: [UInt64]? = nil) throws(StoreError) {
    var opened = unsafe try Self.open(path, SQLITE_OPEN_READWRITE, file)
    isReadOnly = unsafe sqlite3_db_readonly(opened, "main") != 0
    let state = isReadOnly ? Self.state(path) : []
    stateWithoutLocks = isReadOnly && Self.isLogUnusable(path) ? state : nil
    if stateWithoutLocks != nil {
      unsafe sqlite3_close_v2(opened)
      unsafe opened = try Self.open(
        Self.immutableURI(path), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, file)
    }
    unsafe handle = opened
    let limit = ScanLimit(path)
    connection = ConnectionState(limit)
    self.path = path
    unsafe sqlite3_extended_result_codes(opened, 1)
    unsafe sqlite3_busy_handler(
      opened, Self.waitForLock, UnsafeMutableRawPointer(bitPattern: Int(busyMilliseconds)))
    // A group file may come from anywhere, so nothing in its schema is trusted to run.
    unsafe tv_sqlite3_harden(opened)
    unsafe sqlite3_progress_handler(
      opened, ScanLimit.interval, Self.checkLimit, Unmanaged.passUnretained(limit).toOpaque())
  }

  /// Ends a statement that exceeds its limit, with `SQLITE_INTERRUPT`.
  private static let checkLimit: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { limit in
    guard let limit = unsafe limit else { return 0 }
    return unsafe Unmanaged<ScanLimit>.fromOpaque(limit).takeUnretainedValue().isExceeded() ? 1 : 0
  }

  /// Waits until a lock may be free. SQLite's own handler does not report a long wait.
  ///
  /// The first argument is the number of milliseconds to wait in all, the second the number of
  /// calls for this lock. The result is 0 when the wait is over.
  private static let waitForLock: @convention(c) (UnsafeMutableRawPointer?, Int32) -> Int32 = {
    // 1 ms for the first 100 calls, then 10 ms.
    let waited = $1 <= 100 ? Int($1) : 100 + (Int($1) - 100) * 10
    guard waited < Int(bitPattern: $0) else { return 0 }
    if waited == LongWait.milliseconds { LongWait.lock.report() }
    usleep($1 < 100 ? 1_000 : 10_000)
    return 1
  }

  private static func open(
    _ name: String, _ access: Int32, _ file: [UInt64]?
  ) throws(StoreError) -> OpaquePointer {
    let registered = tv_vfs_register()
    guard registered == SQLITE_OK else { throw unsafe Self.error(registered, nil, name) }
    var handle: OpaquePointer?
    let flags = access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
    if let file { tv_vfs_expect(file[0], file[1]) }
    let code = unsafe sqlite3_open_v2(name, &handle, flags, TV_VFS_NAME)
    let isOther = tv_vfs_found_other()
    // After the refusal, SQLite tries again for reading only, and may find the checked file back in place.
    guard code == SQLITE_OK, !isOther, let opened = unsafe handle else {
      // A symbolic link took the name (ELOOP), or lost it again before it was read (EINVAL).
      let isLink = unsafe [ELOOP, EINVAL].contains(sqlite3_system_errno(handle))
      guard !isOther, file == nil || !isLink else {
        unsafe sqlite3_close_v2(handle)
        throw .busy
      }
      let error = unsafe Self.error(code == SQLITE_OK ? SQLITE_NOMEM : code, handle, name)
      unsafe sqlite3_close_v2(handle)
      throw error
    }
    return unsafe opened
  }

  /// Whether a reader on a read-only file system has to do without the write-ahead log: the log or
  /// its index is missing and cannot be created, and the log has no content that would be missed.
  private static func isLogUnusable(_ path: String) -> Bool {
    var system = statvfs()
    guard unsafe statvfs(path, &system) == 0, system.f_flag & UInt(ST_RDONLY) != 0
    else { return false }
    guard let log = fileSize(path + "-wal") else { return true }
    return log == 0 && fileSize(path + "-shm") == nil
  }

  /// Throws if another process has changed a file that was opened without locks: a file system that
  /// is read-only here may be writable elsewhere. A read may then have seen parts of two states, and
  /// SQLite keeps pages of the first one.
  /// - Throws: ``StoreError/generationChanged``; the group has to be opened again.
  func requireUnchanged() throws(StoreError) {
    guard let state = stateWithoutLocks, Self.state(path) != state else { return }
    throw .generationChanged
  }

  /// Inode, size and times of the file and of its log. A change alters at least one of them.
  private static func state(_ path: String) -> [Int] {
    [path, path + "-wal"].flatMap { path in
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return [Int]() }
      return [
        Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
        status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
      ]
    }
  }

  private static func fileSize(_ path: String) -> Int64? {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Int64(status.st_size) : nil
  }

  /// The name by which SQLite opens a file without locks, log or index. Its URIs end a path at `?`
  /// and `#`, and decode `%`.
  private static func immutableURI(_ path: String) -> String {
    let escaped = path.reduce(into: "") { text, character in
      switch character {
      case "%": text += "%25"
      case "?": text += "%3F"
      case "#": text += "%23"
      default: text.append(character)
      }
    }
    return "file:\(escaped)?immutable=1"
  }

  /// - Throws: ``StoreError/readOnly(path:)``. SQLite itself fails later, with several codes.
  func requireWritable(_ path: String) throws(StoreError) {
    guard !isReadOnly else { throw .readOnly(path: path) }
  }

  /// Keeps the emptied log and its index beside the file when the connection closes. Creating and
  /// removing them for each read costs as much as the read.
  func keepLogFiles() { unsafe tv_sqlite3_persist_wal(handle) }

  deinit {
    statements.removeAll()
    unsafe sqlite3_close_v2(handle)
  }

  /// Runs statements that return no rows.
  func execute(_ sql: String) throws(StoreError) {
    unsafe try connection.beginStep(on: handle)
    let code = unsafe sqlite3_exec(handle, sql, nil, nil, nil)
    guard code == SQLITE_OK else { throw unsafe Self.error(code, handle) }
  }

  /// Returns a prepared statement, reset and without bindings, and caches it for the next call.
  func statement(_ sql: String) throws(StoreError) -> Statement {
    // A busy statement belongs to a caller further up the stack. Resetting it would restart that
    // caller's rows.
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
    let statement = unsafe Statement(compiled, connection)
    statements[sql] = statement
    return statement
  }

  /// Replaces the content of `target` with a snapshot of this database, in one step.
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

  /// The address at which SQLite has mapped the index of the write-ahead log; 0 if there is none. It
  /// stays the same until the connection is closed, because no process can leave WAL mode before.
  func logIndex() throws(StoreError) -> UInt {
    let mode = try statement("PRAGMA main.journal_mode")
    defer { mode.reset() }
    guard !isReadOnly, try mode.step(), mode.text(0) == "wal" else { return 0 }
    return UInt(bitPattern: unsafe tv_sqlite3_wal_index(handle))
  }

  /// The rowid of the most recently inserted row.
  var lastInsertedRow: Int64 { unsafe sqlite3_last_insert_rowid(handle) }
  /// The number of rows that the last statement changed.
  var changedRows: Int { Int(unsafe sqlite3_changes(handle)) }
  /// Whether the last call failed because a write found no space.
  var foundNoSpace: Bool { unsafe sqlite3_errcode(handle) & 0xff == SQLITE_FULL }
  /// Whether a transaction is open.
  var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

  /// The error for an extended result code.
  ///
  /// All statements are constant and correct for the schema, so an error in a statement, or an
  /// unexpected type, means that the schema in the file has changed: damage.
  /// - Parameter known: the path, if there is no open database to ask for it.
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
    // On a read-only file system, a log with content is not readable without its index.
    case SQLITE_CANTOPEN where unsafe handle.map({ unsafe sqlite3_db_readonly($0, "main") }) == 1:
      return .readOnly(path: path)
    case SQLITE_TOOBIG: return .damaged(rows: nil)
    // SQLite takes some damaged values for a lack of memory: in the schema, one that is no text.
    case SQLITE_NOMEM where hasMemory: return .damaged(rows: nil)
    // ``ScanLimit`` ended it; nothing else interrupts a statement.
    case SQLITE_INTERRUPT: return .damaged(rows: nil)
    // SQLITE_IOERR_SHORT_READ, a macro that Swift cannot import: the file ends within a page.
    case SQLITE_IOERR where extended >> 8 == 2: return .damaged(rows: nil)
    default: break
    }
    // The errno value is more specific than SQLite's result code.
    switch unsafe handle.map({ unsafe sqlite3_system_errno($0) }) ?? 0 {
    case ENOSPC, EDQUOT: return .diskFull
    case EROFS, EACCES, EPERM: return .readOnly(path: path)
    // SQLITE_IOERR_READ. An error without a detail is that of opening, which only reads.
    case let code where code != 0 && [SQLITE_IOERR, SQLITE_IOERR | 1 << 8].contains(extended):
      return .io(call: "read", code: code)
    case let code where code != 0 && [SQLITE_IOERR, SQLITE_CANTOPEN].contains(extended & 0xff):
      return .io(call: "sqlite", code: code)
    default: return .io(call: "sqlite", code: 1000 + extended)
    }
  }

  /// Whether there is memory for more than any request of SQLite for a group file.
  private static var hasMemory: Bool {
    let memory = unsafe sqlite3_malloc(64 << 20)
    defer { unsafe sqlite3_free(memory) }
    return unsafe memory != nil
  }
}
