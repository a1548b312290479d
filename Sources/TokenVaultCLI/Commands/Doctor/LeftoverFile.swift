import Glibc
import TokenVaultSystem

/// A file `NAME.PID.new` of `FileDraft` that a killed process left beside the file it would have
/// replaced. That file is complete, and the leftover is of no use.
///
/// The directory may have other files of the user, so only a name that TokenVault gives counts.
struct LeftoverFile {
  let path: String

  /// The leftovers in a directory, sorted.
  static func all(in directory: String) -> [LeftoverFile] {
    // absent is an answer: a directory that cannot be read has none to correct.
    do throws(SystemCallError) {
      return try SystemCalls.names(in: directory).sorted()
        .compactMap { LeftoverFile($0, in: directory) }
    } catch { return [] }
  }

  /// Nil for any other file, and for one whose writer may still run.
  private init?(_ name: String, in directory: String) {
    let path = "\(directory)/\(name)"
    var status = stat()
    // A file system without locks may be shared with another container, where the writer has
    // another ID: it needs milliseconds.
    guard name.hasPrefix(".") || name.contains(".json.") || name.contains(".vault."),
      FileDraft.isLeftover(path), unsafe lstat(path, &status) == 0,
      status.st_mode & 0o777 == 0o600, status.st_mtim.tv_sec < time(nil) - 60
    else { return nil }
    self.path = path
  }

  /// - Returns: The correction as a clause; nil if it failed.
  func remove() -> String? {
    guard FileDraft.removeLeftover(path) else { return nil }
    return "removed \(PlainText.escaped(path)), which a killed process left"
  }
}
