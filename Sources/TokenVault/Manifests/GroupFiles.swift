import Glibc
package import TokenVaultModel

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
    guard let stream = unsafe opendir(directory) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw .file(path: directory, call: "opendir", errno: errno)
    }
    defer { unsafe closedir(stream) }
    var texts: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(suffix) { texts.append(String(name.dropLast(suffix.count))) }
    }
    return texts
  }
}
