package import VaultModel

/// What the user's `config.json` says.
package struct UserConfiguration: Hashable, Sendable {
  /// The group that is used where nothing else names one.
  package let defaultGroup: GroupName?

  /// Reads the file; nil when there is none. A field that is not known is refused: a misspelt
  /// choice must not pass for none.
  package static func read(_ path: String) throws(VaultError) -> UserConfiguration? {
    guard let bytes = try SmallFile.read(path) else { return nil }
    let file = try JSONFile(bytes, path: path, fields: ["defaultGroup"])
    guard file.has("defaultGroup") else { return UserConfiguration(defaultGroup: nil) }
    guard let group = GroupName(try file.text("defaultGroup")) else {
      throw file.bad("defaultGroup")
    }
    return UserConfiguration(defaultGroup: group)
  }
}
