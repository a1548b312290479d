import Glibc
import TokenVaultSystem

extension UnlockedGroup {
  /// Proves that the group can be written at this moment, and reserves disk space for the next
  /// commits.
  ///
  /// It commits the unchanged state, which waits for the lock of writers and fails on a full disk
  /// or a read-only file system. Then it reserves the space behind the end of the write-ahead log,
  /// where the next commits go.
  /// - Parameter bytes: The space to reserve.
  /// - Throws: ``StoreError/busy``, ``StoreError/diskFull``, ``StoreError/readOnly(path:)``, or
  ///   ``StoreError/io(call:code:)`` with `EFBIG` if the process may not write files of that size.
  package func reserveSpace(_ bytes: Int64) throws {
    // A write beyond RLIMIT_FSIZE ends the process, so this comes first.
    if let limit = SystemCalls.fileSizeLimit {
      let largest = max(try size(of: path) ?? 0, try size(of: logPath) ?? 0)
      guard largest <= limit - min(bytes, limit) else {
        throw StoreError.io(call: "write", code: EFBIG)
      }
    }
    try commitUnchanged()
    try reserveLog(bytes)
  }

  private var logPath: String { path + "-wal" }

  private func reserveLog(_ bytes: Int64) throws(StoreError) {
    guard let end = try size(of: logPath) else { return }
    do {
      // SQLite's locks are on the group file and its index. Closing a descriptor of the log releases
      // none of them.
      let log = try SystemCalls.open(logPath, O_WRONLY | O_NOFOLLOW)
      defer { close(log) }
      try SystemCalls.reserve(log, after: end, length: bytes)
    } catch {
      // A file system that cannot reserve space has nevertheless just been written.
      if [EOPNOTSUPP, ENOSYS, EINVAL, ENODEV].contains(error.errno) { return }
      throw FileSafety.failed(error.call, error.errno, path: path)
    }
  }

  private func size(of path: String) throws(StoreError) -> Int64? {
    var status = stat()
    if unsafe lstat(path, &status) == 0 { return Int64(status.st_size) }
    guard errno == ENOENT else { throw FileSafety.failed("lstat", errno, path: path) }
    return nil
  }
}
