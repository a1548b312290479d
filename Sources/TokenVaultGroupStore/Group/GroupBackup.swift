import Glibc
import TokenVaultSystem

/// Copies group files. A copy is sealed as the group is: reading it takes the group's key.
package enum GroupBackup {
  /// Writes a consistent snapshot of the group to a new file with mode 0600, durably.
  package static func write(_ group: UnlockedGroup, to path: String) throws(StoreError) {
    do {
      close(try SystemCalls.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    } catch { throw FileSafety.failed(error.call, error.errno, path: path) }
    do throws(StoreError) {
      try copy(group.database, to: path)
      try FileSafety.syncDirectory(FileSafety.directory(of: path))
    } catch {
      unsafe unlink(path)
      throw error
    }
  }

  /// Replaces the content of the group file at `path` with a backup's content, in one transaction.
  /// Processes that have the file open see either the old or the new content; the file is never
  /// swapped under their log.
  package static func install(_ backup: UnlockedGroup, over path: String) throws(StoreError) {
    try copy(backup.database, to: path)
  }

  private static func copy(_ source: Database, to path: String) throws(StoreError) {
    let target = try Database(path: path, busyMilliseconds: 10_000)
    try target.execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON")
    try source.copy(to: target)
  }

  /// Copies the backup at `path`, which may be in any directory, to the new file `copy`, in a
  /// directory from which a group file can be opened.
  package static func fetch(_ path: String, to copy: String) throws(StoreError) {
    let source = try opened(path, O_RDONLY | O_NONBLOCK)
    defer { close(source) }
    var status = stat()
    guard unsafe fstat(source, &status) == 0 else {
      throw FileSafety.failed("fstat", errno, path: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAGroupFile(path: path) }
    let target = try opened(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    defer { close(target) }
    var rest = Int(status.st_size)
    while rest > 0 {
      let count = sendfile(target, source, nil, rest)
      if count < 0 { throw FileSafety.failed("sendfile", errno, path: copy) }
      guard count > 0 else { throw .notAGroupFile(path: path) }
      rest -= count
    }
    guard fsync(target) == 0 else { throw FileSafety.failed("fsync", errno, path: copy) }
  }

  private static func opened(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
    do { return try SystemCalls.open(path, flags, mode: 0o600) } catch {
      throw FileSafety.failed(error.call, error.errno, path: path)
    }
  }
}
