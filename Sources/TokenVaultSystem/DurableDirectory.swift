import Glibc

/// Creates directories that a power cut does not take away again, with all that is in them.
package enum DurableDirectory {
  /// The call that failed, and the path that it failed on.
  package struct Failure: Error {
    package let path: String
    package let cause: SystemCallError
  }

  /// Creates the directory and its missing parents with mode 0700, and syncs the parent of each.
  package static func make(_ path: String) throws(Failure) {
    var parent = path.hasPrefix("/") ? "/" : "."
    for name in path.split(separator: "/") {
      let child = parent == "/" ? "/\(name)" : "\(parent)/\(name)"
      try make(child, in: parent)
      parent = child
    }
  }

  private static func make(_ child: String, in parent: String) throws(Failure) {
    guard unsafe mkdir(child, 0o700) == 0 else {
      let failure = errno
      // For a directory that exists, mkdir may fail with other codes than EEXIST, for example on a
      // read-only file system or in a directory of another user.
      var status = stat()
      guard unsafe stat(child, &status) != 0 else { return }
      throw Failure(path: child, cause: SystemCallError(errno: failure, call: "mkdir"))
    }
    do { try SystemCalls.syncDirectory(parent) } catch {
      // The next attempt creates and syncs it again.
      unsafe rmdir(child)
      throw Failure(path: parent, cause: error)
    }
  }
}
