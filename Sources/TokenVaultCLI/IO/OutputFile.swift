import Glibc
import TokenVaultSystem

/// Files that a command writes for the user.
enum OutputFile {
  /// Writes a new file with mode 0600; with `replacing`, it may replace an existing file. A partial
  /// file never remains, even if the process is killed.
  static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(CommandError) {
    do { try WholeFile.write(bytes, to: path, replacing: replacing) } catch {
      switch (error.errno, error.call) {
      case (EEXIST, _) where !replacing: throw .fileExists(path: path, replacing: "--force")
      case (_, "open"): throw .fileNotMade(path: path, errno: error.errno)
      default: throw .fileNotWritten(path: path, errno: error.errno)
      }
    }
  }

  /// The reason why a new file cannot be created; nil if it can.
  static func obstacle(to path: String) -> Int32? {
    guard !InputFile.exists(path) else { return EEXIST }
    // Under another name: a process that is killed here leaves no empty file at the path.
    let draft = FileDraft(of: path)
    draft.removeLeftovers()
    do {
      let descriptor = try draft.create()
      unsafe unlink(draft.path)
      close(descriptor)
      return nil
    } catch { return error.errno }
  }
}
