package import Foundation

/// The users, clients and tenants, and the settings that control how the provider behaves.
package struct Configuration {
  /// A member of the configuration that is unknown or has the wrong type; empty if the whole is not
  /// a JSON object.
  package struct Invalid: Error, CustomStringConvertible {
    package let member: String

    package var description: String {
      member.isEmpty
        ? "The configuration is not a JSON object."
        : "The member \"\(member)\" of the configuration is unknown or has the wrong type."
    }
  }

  /// The tenant of personal Microsoft accounts.
  static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

  var users = Self.builtInUsers
  var clients = Self.builtInClients
  /// The hosts of the tenants of Entra External ID, by tenant ID.
  var externalTenants = Self.builtInExternalTenants
  static let externalSuffix = ".ciamlogin.com"
  /// Tenant IDs by domain.
  var tenants = Self.builtInTenants
  var settings: JSON = [
    "accessTokenLifetime": 3600, "refreshIn": 1800, "extExpiresIn": 7200,
    "refreshTokenLifetime": 7_776_000, "codeLifetime": 60, "deviceInterval": 5,
    "deviceLifetime": 900, "rotation": true, "reuseDetection": true, "issParameter": true,
    "revocation": true, "accessTokenFormat": "jwt", "claimsChallenge": false,
    "refreshMeetsClaims": true, "declinedDeviceError": "access_denied", "declinedScopes": [],
    "autoSignIn": "", "messages": 25, "pageSize": 10, "announcesPrompts": true, "accountPage": "",
    "adminScopes": [], "resourceServer": "",
    "prompts": ["none", "login", "select_account", "consent", "create"],
  ]

  func number(_ name: String) -> Double { settings[name]?.number ?? 0 }
  func isOn(_ name: String) -> Bool { settings[name]?.bool ?? false }
  func text(_ name: String) -> String { settings[name]?.text ?? "" }

  /// The built-in configuration.
  package init() {}

  /// The built-in configuration with the changes in a JSON text.
  package init(json: Data) throws {
    self.init()
    try change(try JSON(parsing: json))
  }

  /// Applies the members of a JSON object: `users`, `clients` and `tenants` replace the present
  /// ones; all others are settings. An error changes nothing.
  mutating func change(_ changes: JSON) throws(Invalid) {
    guard let members = changes.members else { throw Invalid(member: "") }
    var changed = self
    for (name, value) in members {
      switch name {
      case "tenants": changed.tenants = (value.members ?? [:]).compactMapValues(\.text)
      case "users":
        changed.users = []
        for user in value.elements ?? [] { changed.users.append(try Self.user(user)) }
      case "clients":
        changed.clients = []
        for client in value.elements ?? [] { changed.clients.append(try Self.client(client)) }
      default:
        guard let old = settings[name], old.isSameKind(as: value) else {
          throw Invalid(member: name)
        }
        changed.settings[name] = value
      }
    }
    self = changed
  }

  private static func user(_ value: JSON) throws(Invalid) -> User {
    guard let username = value["username"]?.text, let objectID = value["oid"]?.text,
      let tenant = value["tenant"]?.text
    else { throw Invalid(member: "users") }
    let guestIn = (value["guestIn"]?.members ?? [:]).compactMapValues(\.text)
    return User(
      username: username, name: value["name"]?.text ?? username, objectID: objectID,
      tenant: tenant, guestIn: guestIn, isB2C: value["b2c"]?.bool ?? false)
  }

  private static func client(_ value: JSON) throws(Invalid) -> Client {
    guard let id = value["id"]?.text else { throw Invalid(member: "clients") }
    return Client(
      id: id, name: value["name"]?.text ?? id,
      redirectURIs: value["redirectURIs"]?.texts ?? Self.builtInRedirectURIs,
      family: value["family"]?.text,
      consented: value["consented"]?.texts.map { Set($0) } ?? Self.builtInConsent)
  }
}

extension JSON {
  fileprivate func isSameKind(as other: JSON) -> Bool {
    switch (self, other) {
    case (.bool, .bool), (.string, .string), (.array, .array): true
    default: number != nil && other.number != nil
    }
  }
}
