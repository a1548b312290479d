import Glibc
internal import TokenVaultCSystem

/// Writing to the disk. A call that a signal interrupts is repeated, because the disk has not failed.
extension SystemCalls {
  /// fsync(2).
  package static func sync(_ descriptor: Int32) throws(SystemCallError) {
    guard retried({ fsync(descriptor) }) == 0 else {
      throw SystemCallError(errno: errno, call: "fsync")
    }
  }

  /// Makes created, renamed and removed names in a directory durable.
  package static func syncDirectory(_ path: String) throws(SystemCallError) {
    let descriptor = try openDirectory(path)
    defer { close(descriptor) }
    try sync(descriptor)
  }

  /// Makes all changes durable that were made in the file system of a directory, by other processes too.
  package static func syncFileSystem(of directory: String) throws(SystemCallError) {
    let descriptor = try openDirectory(directory)
    defer { close(descriptor) }
    guard retried({ tv_sync_file_system(descriptor) }) == 0 else {
      throw SystemCallError(errno: errno, call: "syncfs")
    }
  }

  /// The directory part of a path.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
