import Glibc
import TokenVaultSystem

/// Checks the paths of a group before anything is opened there. A symbolic link, another owner or
/// wider permissions would let another user read, replace or redirect what the vault writes.
package enum FileSafety {
  /// Throws unless the path is a regular file of the current user with mode 0600 or narrower.
  /// - Returns: the file's identity.
  @discardableResult
  package static func checkFile(_ path: String) throws(StoreError) -> [UInt64] {
    identity(try check(path, type: S_IFREG))
  }

  /// Throws unless the path is a directory of the current user with mode 0700 or narrower.
  package static func checkDirectory(_ path: String) throws(StoreError) {
    try check(path, type: S_IFDIR)
  }

  /// Creates the directory and its missing parents with mode 0700, durably, then checks the
  /// directory.
  package static func makeDirectory(_ path: String) throws(StoreError) {
    do { try DurableDirectory.make(path) } catch {
      let (call, code) = (error.cause.call, error.cause.errno)
      guard call == "mkdir", code != ENOSPC, code != EDQUOT else {
        throw failed(call, code, path: error.path)
      }
      throw .notMade(path: error.path, errno: code)
    }
    try checkDirectory(path)
  }

  /// Throws if the directory is on a network file system. Two machines see neither each other's locks
  /// nor SQLite's shared memory there, and would overwrite each other's changes.
  package static func checkIsLocal(_ path: String) throws(StoreError) {
    do {
      guard try NetworkFileSystem.type(at: path) != nil else { return }
      throw StoreError.unsafe(path: path, reason: .networkFileSystem)
    } catch let error as SystemCallError {
      throw failed(error.call, error.errno, path: path)
    } catch let error as StoreError {
      throw error
    } catch { throw .io(call: "statfs", code: 0) }
  }

  /// Makes created or renamed names in a directory durable.
  package static func syncDirectory(_ path: String) throws(StoreError) {
    do { try SystemCalls.syncDirectory(path) } catch {
      throw failed(error.call, error.errno, path: path)
    }
  }

  /// The error for a system call `call` that failed on `path` with the errno value `code`.
  package static func failed(_ call: String, _ code: Int32, path: String) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    case ENOENT: .notFound(path: path)
    case EEXIST: .exists(path: path)
    default: .io(call: call, code: code)
    }
  }

  /// Device and inode number: they distinguish a file from another one that took its name. Nil if
  /// there is no file.
  package static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return identity(status)
  }

  private static func identity(_ status: stat) -> [UInt64] {
    [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// Whether ``identity(of:)`` is `identity`, without an allocation.
  static func isFile(_ identity: [UInt64], at path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0 && identity.count == 2
      && identity[0] == UInt64(status.st_dev) && identity[1] == UInt64(status.st_ino)
  }

  /// The directory part of a path.
  static func directory(of path: String) -> String { SystemCalls.directory(of: path) }

  @discardableResult
  private static func check(_ path: String, type: UInt32) throws(StoreError) -> stat {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { throw failed("lstat", errno, path: path) }
    let found = status.st_mode & S_IFMT
    if found == S_IFLNK { throw .unsafe(path: path, reason: .symbolicLink) }
    if found != type { throw .unsafe(path: path, reason: .wrongType) }
    if status.st_uid != geteuid() {
      throw .unsafe(path: path, reason: .foreignOwner(uid: status.st_uid))
    }
    let wide = status.st_mode & 0o077
    if wide != 0 { throw .unsafe(path: path, reason: .wideMode(status.st_mode & 0o777)) }
    return status
  }
}
