internal import TokenVaultCSQLite

/// The state of a group file at one moment. One system call, without a transaction, shows whether the
/// file is still the one at its path and has had no commit since.
///
/// It reads memory of the connection that made it, so it must not be used after the connection is
/// closed.
package struct CommitMark: Sendable {
  private let path: String
  private let file: [UInt64]
  /// The address of the index of the write-ahead log.
  private let index: UInt
  private let header: tv_wal_header

  /// Nil if the header is being changed, or has an unknown format.
  init?(path: String, file: [UInt64], index: UInt) {
    var header = tv_wal_header()
    guard unsafe tv_wal_header_read(UnsafeRawPointer(bitPattern: index), &header) != 0 else {
      return nil
    }
    self.path = path
    self.file = file
    self.index = index
    self.header = header
  }

  /// Whether no commit of any process, and no other file in the place of this one, is visible to a
  /// reader.
  package var isCurrent: Bool {
    var header = header
    return unsafe tv_wal_header_is(UnsafeRawPointer(bitPattern: index), &header) != 0
      && FileSafety.isFile(file, at: path)
  }
}
