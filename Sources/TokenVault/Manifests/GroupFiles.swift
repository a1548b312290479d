import Glibc
package import TokenVaultModel
import TokenVaultSystem

/// Finds groups by the names of their files.
package enum GroupFiles {
  /// The sorted group names among a directory's entries that end in `suffix`; empty if there is no
  /// such directory.
  package static func names(in directory: String, suffix: String) throws(VaultError) -> [GroupName]
  {
    try texts(in: directory, suffix: suffix).compactMap { GroupName($0) }.sorted()
  }

  /// The entries of a directory that end in `suffix`, without it; empty if there is no such
  /// directory.
  static func texts(in directory: String, suffix: String) throws(VaultError) -> [String] {
    do throws(SystemCallError) {
      return try SystemCalls.names(in: directory).filter { $0.hasSuffix(suffix) }
        .map { String($0.dropLast(suffix.count)) }
    } catch {
      if [ENOENT, ENOTDIR].contains(error.errno) { return [] }
      throw .file(path: directory, call: error.call, errno: error.errno)
    }
  }
}
