package import TokenVaultModel

/// The content of the user's `config.json`.
package struct UserConfiguration: Hashable, Sendable {
  /// The group to use if nothing else names one.
  package var defaultGroup: GroupName?
  /// The defaults for the options of a sign-in.
  package var signIn = SignInDefaults()

  /// The object `signIn` of the file.
  package struct SignInDefaults: Hashable, Sendable {
    package var clientID: String?
    package var authority: String?
    package var scopes: [String] = []
    package var redirectURI: String?
    /// ``ApplicationConfiguration/revocationEndsTokenAlone``.
    package var revocationEndsTokenAlone = false
  }

  private static let fields = ["defaultGroup", "signIn"]

  /// Every field, with the path of its objects: `signIn.clientId`.
  package static let fieldPaths = fields + SignInDefaults.fields.map { "signIn.\($0)" }

  /// Reads the file; nil if it does not exist. An unknown field is refused, because a misspelt
  /// setting must not be silently ignored.
  package static func read(_ path: String) throws(VaultError) -> UserConfiguration? {
    guard let bytes = try SmallFile.read(path) else { return nil }
    let file = try JSONFile(bytes, path: path, fields: fields)
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
        let field = "signIn.\(member.name)"
        guard SignInDefaults.fields.contains(member.name) else {
          throw .badManifest(path: path, fault: .unknownField(field))
        }
        guard read.signIn.take(member) else { throw file.bad(field) }
      }
    }
    return read
  }
}

extension UserConfiguration.SignInDefaults {
  fileprivate static let fields = [
    "clientId", "authority", "scopes", "redirectUri", "revocationEndsTokenAlone",
  ]

  /// Returns false for a value of the wrong type.
  fileprivate mutating func take(_ member: JSONValue.Member) -> Bool {
    if member.name == "scopes" {
      guard let elements = member.value.elements else { return false }
      scopes = elements.compactMap(\.text)
      return scopes.count == elements.count
    }
    if member.name == "revocationEndsTokenAlone" {
      guard case .bool(let isAlone) = member.value else { return false }
      revocationEndsTokenAlone = isAlone
      return true
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
