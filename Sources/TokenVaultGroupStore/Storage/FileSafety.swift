import Glibc
import TokenVaultSystem

/// Checks the paths of a group before anything is opened there. A symbolic link, another owner or
/// wider permissions would let another user read, replace or redirect what the vault writes.
package enum FileSafety {
  /// Throws unless the path is a regular file of the current user with mode 0600 or narrower.
  package static func checkFile(_ path: String) throws(StoreError) {
    try check(path, type: S_IFREG)
  }

  /// Throws unless the path is a directory of the current user with mode 0700 or narrower.
  package static func checkDirectory(_ path: String) throws(StoreError) {
    try check(path, type: S_IFDIR)
  }

  /// Creates the directory and its missing parents with mode 0700, then checks the directory.
  package static func makeDirectory(_ path: String) throws(StoreError) {
    var partial = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      partial += "/" + part
      if unsafe mkdir(partial, 0o700) != 0 {
        let failure = errno
        // For a parent that exists, mkdir may fail with other codes than EEXIST, for example on a
        // read-only file system or in a directory of another user.
        var status = stat()
        if unsafe stat(partial, &status) != 0 {
          guard failure != ENOSPC, failure != EDQUOT else { throw .diskFull }
          throw .notMade(path: partial, errno: failure)
        }
      }
    }
    try checkDirectory(path)
  }

  /// Makes created or renamed names in a directory durable.
  package static func syncDirectory(_ path: String) throws(StoreError) {
    do {
      let descriptor = try SystemCalls.open(path, O_RDONLY | O_DIRECTORY)
      defer { close(descriptor) }
      guard fsync(descriptor) == 0 else { throw failed("fsync", errno, path: path) }
    } catch let error as SystemCallError {
      throw failed(error.call, error.errno, path: path)
    } catch let error as StoreError {
      throw error
    } catch { throw .io(call: "open", code: 0) }
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
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
  }

  /// The directory part of a path.
  static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func check(_ path: String, type: UInt32) throws(StoreError) {
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
  }
}
