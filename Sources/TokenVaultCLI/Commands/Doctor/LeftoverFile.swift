import Glibc

/// A file `NAME.PID.new` of `FileDraft` that a killed process left beside the file it would have
/// replaced. That file is complete, and the leftover is of no use.
///
/// The directory may have other files of the user, so only a name that TokenVault gives counts.
struct LeftoverFile {
  let path: String

  /// The leftovers in a directory, sorted. A directory that cannot be read has none to correct.
  static func all(in directory: String) -> [LeftoverFile] {
    guard let stream = unsafe opendir(directory) else { return [] }
    defer { unsafe closedir(stream) }
    var found: [LeftoverFile] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let file = LeftoverFile(directory + "/" + name) { found.append(file) }
    }
    return found.sorted { $0.path < $1.path }
  }

  /// Nil for any other file, and for one whose writer may still run.
  private init?(_ path: String) {
    let parts = path.split(separator: ".")
    guard parts.count > 2, parts.last == "new", let writer = pid_t(parts[parts.count - 2]),
      writer > 0, kill(writer, 0) != 0, errno == ESRCH,
      let name = path.split(separator: "/").last,
      name.hasPrefix(".") || name.contains(".json.") || name.contains(".vault.")
    else { return nil }
    var status = stat()
    // The writer may run in another container, where its id is another one: it needs milliseconds.
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid(), status.st_mode & 0o777 == 0o600,
      status.st_mtim.tv_sec < time(nil) - 60
    else { return nil }
    self.path = path
  }

  /// - Returns: The correction as a clause; nil if it failed.
  func remove() -> String? {
    guard unsafe unlink(path) == 0 else { return nil }
    return "removed \(PlainText.escaped(path)), which a killed process left"
  }
}
