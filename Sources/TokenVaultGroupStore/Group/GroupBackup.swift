import Glibc
import TokenVaultSystem

/// Copies group files. A copy is sealed as the group is: reading it takes the group's key.
package enum GroupBackup {
  /// Writes a consistent snapshot of the group to a new file with mode 0600, durably. The file has
  /// another name until it is complete (``FileDraft``); the next backup removes what a killed one left.
  /// - Throws: ``StoreError/exists(path:)`` if there is a file at the path; it stays as it is.
  package static func write(_ group: UnlockedGroup, to path: String) throws(StoreError) {
    guard FileSafety.identity(of: path) == nil else { throw .exists(path: path) }
    let draft = FileDraft(of: path)
    draft.removeLeftovers()
    do {
      let directory = try SystemCalls.openDirectory(SystemCalls.directory(of: path))
      defer { close(directory) }
      // The descriptor outlives SQLite's connection: closing it ends SQLite's own locks on the file.
      let descriptor = try draft.create()
      defer { close(descriptor) }
      try fill(draft.path, from: group)
      do { try draft.publish(replacing: false) } catch {
        unsafe unlink(draft.path)
        // Another process has written a file there since.
        guard error.errno != EEXIST else { throw StoreError.exists(path: path) }
        throw error
      }
      do { try SystemCalls.sync(directory) } catch {
        unsafe unlink(path)
        throw error
      }
    } catch {
      switch error {
      case let error as StoreError: throw error
      case let error as SystemCallError:
        throw FileSafety.failed(error.call, error.errno, path: path)
      default: throw .io(call: "rename", code: 0)
      }
    }
  }

  /// Writes a snapshot of the group to a new file that the caller publishes. It has no other name
  /// meanwhile, so that the code that removes drafts knows the name that a killed process leaves.
  package static func write(
    _ group: UnlockedGroup, toDraft draft: String
  ) throws(StoreError) {
    close(try opened(draft, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW))
    try fill(draft, from: group)
  }

  private static func fill(_ draft: String, from group: UnlockedGroup) throws(StoreError) {
    do throws(StoreError) {
      // A journal in memory: half a copy is of no use after a crash.
      try copy(group.database, to: draft, "PRAGMA journal_mode=MEMORY")
    } catch {
      unsafe unlink(draft)
      throw error
    }
  }

  /// Replaces the content of the group file at `path` with a backup's content, in one transaction.
  /// Processes that have the file open see either the old or the new content; the file is never
  /// swapped under their log.
  package static func install(_ backup: UnlockedGroup, over path: String) throws(StoreError) {
    try copy(backup.database, to: path)
  }

  private static func copy(
    _ source: Database, to path: String, _ options: String = ""
  ) throws(StoreError) {
    let target = try Database(path: path, busyMilliseconds: 10_000)
    try target.execute("PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; \(options)")
    try source.copy(to: target)
  }

  /// Copies the backup at `path`, which may be in any directory, to the new file `copy`, in a
  /// directory from which a group file can be opened.
  /// - Returns: A descriptor of the copy with a lock, by which ``isInUse(_:)`` recognises it. Close it
  ///   after every connection to the copy: closing it ends SQLite's own locks on the file.
  package static func fetch(_ path: String, to copy: String) throws(StoreError) -> Int32 {
    let source = try opened(path, O_RDONLY | O_NONBLOCK)
    defer { close(source) }
    var status = stat()
    guard unsafe fstat(source, &status) == 0 else {
      throw FileSafety.failed("fstat", errno, path: path)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAGroupFile(path: path) }
    let target = try opened(copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
    do throws(StoreError) {
      try send(Int(status.st_size), from: source, of: path, to: target, of: copy)
    } catch {
      close(target)
      throw error
    }
    return target
  }

  /// Whether a running process has fetched the file. A killed process holds no lock.
  package static func isInUse(_ copy: String) -> Bool {
    let file: Int32
    // absent is an answer: a file that cannot be opened has no lock that would matter.
    do { file = try SystemCalls.open(copy, O_RDONLY | O_NOFOLLOW) } catch { return false }
    defer { close(file) }
    return flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static func send(
    _ count: Int, from source: Int32, of path: String, to target: Int32, of copy: String
  ) throws(StoreError) {
    // Before the first byte: another process may look as soon as the file has its name.
    guard flock(target, LOCK_EX | LOCK_NB) == 0 else {
      throw FileSafety.failed("flock", errno, path: copy)
    }
    var rest = count
    while rest > 0 {
      let count = sendfile(target, source, nil, rest)
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw FileSafety.failed("sendfile", errno, path: copy) }
      guard count > 0 else { throw .notAGroupFile(path: path) }
      rest -= count
    }
    do { try SystemCalls.sync(target) } catch {
      throw FileSafety.failed(error.call, error.errno, path: copy)
    }
  }

  private static func opened(_ path: String, _ flags: Int32) throws(StoreError) -> Int32 {
    do { return try SystemCalls.open(path, flags, mode: 0o600) } catch {
      throw FileSafety.failed(error.call, error.errno, path: path)
    }
  }
}
