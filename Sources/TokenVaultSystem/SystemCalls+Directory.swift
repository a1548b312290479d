package import Glibc

extension SystemCalls {
  /// Opens a directory, to sync it or to read its entries.
  package static func openDirectory(_ path: String) throws(SystemCallError) -> Int32 {
    try open(path, O_RDONLY | O_DIRECTORY)
  }

  /// The names of a directory's entries, without `.` and `..`, in no order. Bytes that are not UTF-8
  /// are replaced.
  /// - Throws: As ``forEachEntry(in:_:)``. No names are returned then: with a part of them, a caller
  ///   would believe that the other files have been deleted.
  package static func names(in directory: String) throws(SystemCallError) -> [String] {
    var names: [String] = []
    unsafe try forEachEntry(in: directory) { entry in
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  /// Calls `body` with each entry of a directory, also `.` and `..`, in no order.
  /// - Throws: `ENOENT` if there is no such directory. If a read fails after some entries, `body` has
  ///   been called with those.
  package static func forEachEntry(
    in directory: String, _ body: (UnsafeMutablePointer<dirent>) -> Void
  ) throws(SystemCallError) {
    let descriptor = try openDirectory(directory)
    guard let stream = unsafe fdopendir(descriptor) else {
      let error = SystemCallError(errno: errno, call: "fdopendir")
      close(descriptor)
      throw error
    }
    defer { unsafe closedir(stream) }
    while true {
      errno = 0
      if let entry = unsafe readdir(stream) {
        unsafe body(entry)
      } else if errno == 0 {
        return
      } else if errno != EINTR {
        throw SystemCallError(errno: errno, call: "readdir")
      }
    }
  }
}
