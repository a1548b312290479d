import Glibc
import TokenVaultSystem

/// Looks at the paths of a group before anything is opened there: a link, a foreign owner or wider
/// rights would let somebody else read, replace or redirect what the vault writes.
package enum FileSafety {
  /// Refuses a path that is not an own regular file with mode 0600 or narrower.
  package static func checkFile(_ path: String) throws(StoreError) {
    try check(path, type: S_IFREG)
  }

  /// Refuses a path that is not an own directory with mode 0700 or narrower.
  package static func checkDirectory(_ path: String) throws(StoreError) {
    try check(path, type: S_IFDIR)
  }

  /// Makes the directory and its missing parents with mode 0700, then checks it.
  package static func makeDirectory(_ path: String) throws(StoreError) {
    var partial = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      partial += "/" + part
      if unsafe mkdir(partial, 0o700) != 0 {
        let failure = errno
        // Parents that are there already may refuse with other codes (read-only, not ours).
        var status = stat()
        if unsafe stat(partial, &status) != 0 { throw failed("mkdir", failure, path: partial) }
      }
    }
    try checkDirectory(path)
  }

  /// Makes names that were created or renamed in a directory durable.
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

  /// The error for a system call that failed on `path`.
  package static func failed(_ call: String, _ code: Int32, path: String) -> StoreError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull
    case EROFS, EACCES, EPERM: .readOnly(path: path)
    case ENOENT: .notFound(path: path)
    case EEXIST: .exists(path: path)
    default: .io(call: call, code: code)
    }
  }

  /// What tells a file from another that took its name; nil when there is none.
  package static func identity(of path: String) -> [UInt64]? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return [UInt64(status.st_dev), UInt64(status.st_ino)]
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
