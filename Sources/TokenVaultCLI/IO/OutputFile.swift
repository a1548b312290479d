import Glibc
import TokenVaultSystem

/// Files that people ask for.
enum OutputFile {
  /// Writes a new file with mode 0600; with `replacing`, in the place of an old one. What could not
  /// be written whole is not left behind, not even by a process that is killed.
  static func write(_ bytes: [UInt8], to path: String, replacing: Bool) throws(CommandError) {
    do { try WholeFile.write(bytes, to: path, replacing: replacing) } catch {
      switch (error.errno, error.call) {
      case (EEXIST, _) where !replacing: throw .fileExists(path: path)
      case (_, "open"): throw .fileNotMade(path: path, errno: error.errno)
      default: throw .fileNotWritten(path: path, errno: error.errno)
      }
    }
  }
}
