import Glibc
package import TokenVaultModel

/// Finds groups by the names of their files.
package enum GroupFiles {
  /// The sorted group names among a directory's entries that end in `suffix`; empty if there is no
  /// such directory.
  package static func names(in directory: String, suffix: String) throws(VaultError) -> [GroupName]
  {
    guard let stream = unsafe opendir(directory) else {
      if errno == ENOENT || errno == ENOTDIR { return [] }
      throw .file(path: directory, call: "opendir", errno: errno)
    }
    defer { unsafe closedir(stream) }
    var names: [GroupName] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) {
        unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasSuffix(suffix), let group = GroupName(String(name.dropLast(suffix.count)))
      else { continue }
      names.append(group)
    }
    return names.sorted()
  }
}
