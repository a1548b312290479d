import TokenVaultSignIn
package import TokenVaultModel

/// A person who can sign in.
struct User {
  var username: String
  var name: String
  var objectID: String
  var tenant: String
  /// Object ids as a guest, by tenant.
  var guestIn: [String: String] = [:]
  /// Whether the home is a B2C directory.
  var isB2C = false

  func objectID(in tenant: String) -> String { guestIn[tenant] ?? objectID }
}

/// A registered program; all are public clients.
struct Client {
  var id: String
  var name: String
  var redirectURIs: [String]
  var family: String?
  /// What an administrator consented to for everybody.
  var consented: Set<String>

  /// RFC 8252 section 7.3: of a loopback URI the port is open, and nothing else; others are
  /// compared as text.
  func allows(redirect: String) -> Bool {
    redirectURIs.contains { registered in
      guard let known = HTTPURL(registered), known.scheme == "http", known.isLoopback else {
        return registered == redirect
      }
      guard let asked = HTTPURL(redirect), asked.scheme == "http" else { return false }
      return asked.host == known.host && asked.query == known.query
        && (asked.path.isEmpty ? "/" : asked.path) == (known.path.isEmpty ? "/" : known.path)
    }
  }
}

/// Who there is, and how the provider behaves.
package struct Configuration {
  package struct Invalid: Error { package let member: String }

  static let consumers = "9188040d-6c67-4c5b-b112-36a304b66dad"

  var users: [User] = []
  var clients: [Client] = []
  /// Tenant ids by domain.
  var tenants: [String: String] = [:]
  var settings: JSONValue = [
    "accessTokenLifetime": 3600, "refreshIn": 1800, "extExpiresIn": 7200,
    "refreshTokenLifetime": 7_776_000, "codeLifetime": 60, "deviceInterval": 5,
    "deviceLifetime": 900, "rotation": true, "reuseDetection": true, "issParameter": true,
    "revocation": true, "accessTokenFormat": "jwt", "claimsChallenge": false,
    "refreshMeetsClaims": true, "declinedDeviceError": "access_denied", "declinedScopes": [],
    "autoSignIn": "", "messages": 25, "pageSize": 10,
  ]

  func number(_ name: String) -> Double { settings[name]?.number ?? 0 }
  func isOn(_ name: String) -> Bool { settings[name]?.bool ?? false }
  func text(_ name: String) -> String { settings[name]?.text ?? "" }

  /// The built-in configuration, changed by the members of a JSON object: `users`, `clients` and
  /// `tenants` replace the built-in ones, all others are settings.
  package init(_ changes: JSONValue) throws(Invalid) {
    self = Self.standard
    try change(changes)
  }

  mutating func change(_ changes: JSONValue) throws(Invalid) {
    guard let members = changes.members else { throw Invalid(member: "") }
    for member in members {
      switch member.name {
      case "tenants":
        tenants = [:]
        for tenant in member.value.members ?? [] { tenants[tenant.name] = tenant.value.text }
      case "users":
        users = []
        for user in member.value.elements ?? [] { users.append(try Self.user(user)) }
      case "clients":
        clients = []
        for client in member.value.elements ?? [] { clients.append(try Self.client(client)) }
      default:
        guard let old = settings[member.name], old.isSameKind(as: member.value) else {
          throw Invalid(member: member.name)
        }
        settings.set(member.name, member.value)
      }
    }
  }

  private static func user(_ value: JSONValue) throws(Invalid) -> User {
    guard let username = value["username"]?.text, let objectID = value["oid"]?.text,
      let tenant = value["tenant"]?.text
    else { throw Invalid(member: "users") }
    var guestIn: [String: String] = [:]
    for member in value["guestIn"]?.members ?? [] { guestIn[member.name] = member.value.text }
    return User(
      username: username, name: value["name"]?.text ?? username, objectID: objectID,
      tenant: tenant, guestIn: guestIn, isB2C: value["b2c"]?.bool ?? false)
  }

  private static func client(_ value: JSONValue) throws(Invalid) -> Client {
    guard let id = value["id"]?.text else { throw Invalid(member: "clients") }
    return Client(
      id: id, name: value["name"]?.text ?? id,
      redirectURIs: value["redirectURIs"]?.texts ?? Self.redirects,
      family: value["family"]?.text,
      consented: value["consented"]?.texts.map { Set($0) } ?? usual)
  }

  private static let usual: Set = ["openid", "profile", "email", "offline_access", "User.Read"]
  private static let redirects =
    ["127.0.0.1", "[::1]", "localhost"].flatMap { ["http://\($0)/", "http://\($0)/callback"] }
    + ["msauth.com.example.tokenvault://auth"]

  private static let standard: Configuration = {
    var made = Configuration()
    let contoso = "c0000000-0000-4000-8000-00000000c001"
    let fabrikam = "f0000000-0000-4000-8000-00000000f001"
    let b2c = "b2c00000-0000-4000-8000-00000000b2c1"
    made.tenants = [
      "contoso.example": contoso, "fabrikam.example": fabrikam, "fabrikamb2c.example": b2c,
    ]
    made.users = [
      User(
        username: "ada@contoso.example", name: "Ada Lovelace",
        objectID: "00000000-0000-4000-8000-000000000ada", tenant: contoso),
      User(
        username: "grace@contoso.example", name: "Grace Hopper",
        objectID: "00000000-0000-4000-8000-00000009ace0", tenant: contoso),
      User(
        username: "linus@fabrikam.example", name: "Linus Pauling",
        objectID: "00000000-0000-4000-8000-0000000011a5", tenant: fabrikam,
        guestIn: [contoso: "00000000-0000-4000-8000-0000000911a5"]),
      User(
        username: "alan@personal.example", name: "Alan Turing",
        objectID: "00000000-0000-0000-0000-00000000a1a9", tenant: consumers),
      User(
        username: "rosalind@customers.example", name: "Rosalind Franklin",
        objectID: "00000000-0000-4000-8000-00000b2c0001", tenant: b2c, isB2C: true),
    ]
    made.clients = [
      Client(
        id: "11111111-2222-3333-4444-555555555555", name: "TokenVault", redirectURIs: redirects,
        consented: usual.union(["https://fabrikamb2c.example/api/demo.read"])),
      Client(
        id: "fa000000-0000-4000-8000-000000000001", name: "Family One", redirectURIs: redirects,
        family: "1", consented: usual),
      Client(
        id: "fa000000-0000-4000-8000-000000000002", name: "Family Two", redirectURIs: redirects,
        family: "1", consented: usual),
    ]
    return made
  }()

  private init() {}
}

extension JSONValue {
  fileprivate func isSameKind(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.bool, .bool), (.number, .number), (.string, .string), (.array, .array): true
    default: false
    }
  }
}
