import Glibc
import TokenVaultSystem

/// Copies of a group file, sealed as the group is: who has one needs the group's key to read it.
package enum GroupBackup {
  /// Writes one consistent snapshot to a new file with mode 0600, durably.
  package static func write(_ group: UnlockedGroup, to path: String) throws(StoreError) {
    do {
      close(try SystemCalls.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600))
    } catch { throw FileSafety.failed(error.call, error.errno, path: path) }
    do throws(StoreError) {
      try copy(group.database, to: path)
      try FileSafety.syncDirectory(LockedGroup.directory(of: path))
    } catch {
      unsafe unlink(path)
      throw error
    }
  }

  /// Puts a backup's content into the group file at `path`, in one transaction: other processes
  /// that have it open see the old content or the new one, and never a file that was swapped
  /// under their log.
  package static func install(_ backup: UnlockedGroup, over path: String) throws(StoreError) {
    try copy(backup.database, to: path)
  }

  private static func copy(_ source: Database, to path: String) throws(StoreError) {
    let target = try Database(path: path, busyMilliseconds: 10_000)
    try target.execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON")
    try source.copy(to: target)
  }

  /// Copies a backup that may lie anywhere to where a group file may be opened.
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
