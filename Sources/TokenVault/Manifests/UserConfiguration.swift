package import TokenVaultModel

/// What the user's `config.json` says.
package struct UserConfiguration: Hashable, Sendable {
  /// The group that is used where nothing else names one.
  package var defaultGroup: GroupName?
  /// What a sign-in takes where the command does not say it.
  package var signIn = SignInDefaults()

  /// The object `signIn`, as it stands there.
  package struct SignInDefaults: Hashable, Sendable {
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var redirectURI: String?
  }

  /// Reads the file; nil when there is none. A field that is not known is refused: a misspelt
  /// choice must not pass for none.
  package static func read(_ path: String) throws(VaultError) -> UserConfiguration? {
    guard let bytes = try SmallFile.read(path) else { return nil }
    let file = try JSONFile(bytes, path: path, fields: ["defaultGroup", "signIn"])
    var read = UserConfiguration()
    if file.has("defaultGroup") {
      guard let group = GroupName(try file.text("defaultGroup")) else {
        throw file.bad("defaultGroup")
      }
      read.defaultGroup = group
    }
    if file.has("signIn") {
      guard let members = try file.value("signIn").members else { throw file.bad("signIn") }
      for member in members {
        guard read.signIn.take(member) else { throw file.bad("signIn.\(member.name)") }
      }
    }
    return read
  }
}

extension UserConfiguration.SignInDefaults {
  /// Returns false for an unknown name and for a value of the wrong kind.
  fileprivate mutating func take(_ member: JSONValue.Member) -> Bool {
    if member.name == "scopes" {
      guard let elements = member.value.elements else { return false }
      scopes = elements.compactMap(\.text)
      return scopes.count == elements.count
    }
    guard let text = member.value.text, !text.isEmpty else { return false }
    switch member.name {
    case "clientId": clientID = text
    case "authority": authority = text
    case "redirectUri": redirectURI = text
    default: return false
    }
    return true
  }
}
