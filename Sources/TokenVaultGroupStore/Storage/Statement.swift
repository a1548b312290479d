internal import TokenVaultCSQLite

/// A prepared statement. As in SQLite, parameters are numbered from 1 and columns from 0.
@safe final class Statement {
  private let handle: OpaquePointer
  private let connection: ConnectionState
  /// The number of rows since the last reset.
  private var rows: Int64 = 0

  /// Takes ownership of a prepared statement.
  init(_ handle: OpaquePointer, _ connection: ConnectionState) {
    unsafe self.handle = unsafe handle
    self.connection = connection
  }

  deinit { unsafe sqlite3_finalize(handle) }

  /// Whether the statement has returned a row and has been neither completed nor reset since.
  var isBusy: Bool { unsafe sqlite3_stmt_busy(handle) != 0 }

  func reset() {
    rows = 0
    unsafe sqlite3_reset(handle)
    unsafe sqlite3_clear_bindings(handle)
  }

  func bind(_ index: Int32, _ value: Int64) throws(StoreError) {
    try check(unsafe sqlite3_bind_int64(handle, index, value))
  }

  func bind(_ index: Int32, _ bytes: [UInt8]) throws(StoreError) {
    let code = unsafe bytes.withUnsafeBytes { buffer in
      // An empty array may have no address, and SQLite would bind NULL.
      unsafe buffer.baseAddress == nil
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : tv_sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count))
    }
    try check(code)
  }

  /// Binds a part of the bytes.
  func bind(_ index: Int32, _ bytes: [UInt8], _ part: Range<Int>) throws(StoreError) {
    let code = unsafe bytes.withUnsafeBytes { buffer in
      unsafe tv_sqlite3_bind_blob(
        handle, index, UnsafeRawBufferPointer(rebasing: buffer[part]).baseAddress,
        Int32(part.count))
    }
    try check(code)
  }

  /// Advances to the next row. Returns false, and resets the statement, if there is none.
  /// - Throws: ``StoreError/damaged(rows:)`` also if there are more rows than the file can have.
  func step() throws(StoreError) -> Bool {
    unsafe try connection.beginStep(on: sqlite3_db_handle(handle))
    let code = unsafe sqlite3_step(handle)
    rows += 1
    switch code {
    case SQLITE_ROW:
      guard !connection.isExceeded(rows: rows) else {
        reset()
        throw .damaged(rows: nil)
      }
      return true
    case SQLITE_DONE:
      rows = 0
      unsafe sqlite3_reset(handle)
      return false
    default:
      rows = 0
      unsafe sqlite3_reset(handle)
      throw error(code)
    }
  }

  /// Runs a statement that returns no rows.
  func run() throws(StoreError) {
    while try step() {}
  }

  func int64(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

  func bytes(_ column: Int32) -> [UInt8] {
    guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
    let count = Int(unsafe sqlite3_column_bytes(handle, column))
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// The number of bytes in a column.
  func size(_ column: Int32) -> Int { Int(unsafe sqlite3_column_bytes(handle, column)) }

  /// Appends the bytes of a column, of which there are some, without an array of their own.
  func append(_ column: Int32, to bytes: inout [UInt8]) throws(StoreError) {
    guard let start = unsafe sqlite3_column_blob(handle, column) else {
      throw .damaged(rows: nil)
    }
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: size(column)))
  }

  func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }

  private func check(_ code: Int32) throws(StoreError) {
    guard code == SQLITE_OK else { throw error(code) }
  }

  private func error(_ code: Int32) -> StoreError {
    unsafe Database.error(code, sqlite3_db_handle(handle))
  }
}
