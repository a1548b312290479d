import Glibc

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

  /// The directory part of a path.
  package static func directory(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }
}
