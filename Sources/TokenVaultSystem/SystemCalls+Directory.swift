import Glibc

extension SystemCalls {
  /// The names of a directory's entries, without `.` and `..`, in no order. Bytes that are not UTF-8
  /// are replaced.
  /// - Throws: `ENOENT` if there is no such directory. If reading fails in the middle, this function
  ///   throws that error and returns no names: with a part of them, a caller would believe that the
  ///   other files have been deleted.
  package static func names(in directory: String) throws(SystemCallError) -> [String] {
    guard let stream = unsafe opendir(directory) else {
      throw SystemCallError(errno: errno, call: "opendir")
    }
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw SystemCallError(errno: errno, call: "readdir") }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
  }
}
