import Foundation

/// An account in an MSAL cache. All names, IDs and tokens are invented.
struct Person {
  var name: String
  var object: String
  var tenant: String
  var username: String { "\(name)@\(host)" }
  var host = "contoso.example"
  static let client = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"

  static let ada = Person(
    name: "ada", object: "11111111-1111-4111-8111-111111111111",
    tenant: "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa")
  static let bob = Person(
    name: "bob", object: "22222222-2222-4222-8222-222222222222",
    tenant: "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb", host: "fabrikam.example")
  static let eve = Person(
    name: "eve", object: "33333333-3333-4333-8333-333333333333",
    tenant: "cccccccc-cccc-4ccc-8ccc-cccccccccccc", host: "shop.example")
  static let dan = Person(
    name: "dan", object: "44444444-4444-4444-8444-444444444444",
    tenant: "dddddddd-dddd-4ddd-8ddd-dddddddddddd", host: "mail.example")

  var access: String { "made-up-access-token-of-\(name)-4f1d9c" }
  var refresh: String { "made-up-refresh-token-of-\(name)-8a2e7b" }

  /// A cache with these accounts, as MSAL for Python writes it.
  static func cache(_ people: Person..., mark: String = "") -> String {
    let login = "login.microsoftonline.com"
    let now = Int(Date().timeIntervalSince1970)
    var accounts: [String: Any] = [:]
    var accessTokens: [String: Any] = [:]
    var refreshTokens: [String: Any] = [:]
    for person in people {
      let id = "\(person.object).\(person.tenant)"
      accounts["\(id)-\(login)-\(person.tenant)"] = [
        "home_account_id": id, "environment": login, "realm": person.tenant,
        "local_account_id": person.object, "username": person.username,
        "authority_type": "MSSTS",
      ]
      accessTokens["\(id)-\(login)-accesstoken-\(client)-\(person.tenant)-user.read"] = [
        "credential_type": "AccessToken", "home_account_id": id, "environment": login,
        "client_id": client, "realm": person.tenant, "target": "User.Read",
        "secret": person.access + mark, "token_type": "Bearer", "cached_at": "\(now)",
        "expires_on": "\(now + 86400)", "extended_expires_on": "\(now + 86400)",
      ]
      refreshTokens["\(id)-\(login)-refreshtoken-\(client)--user.read"] = [
        "credential_type": "RefreshToken", "home_account_id": id, "environment": login,
        "client_id": client, "target": "User.Read", "secret": person.refresh + mark,
        "last_modification_time": "\(now)",
      ]
    }
    let cache = [
      "Account": accounts, "AccessToken": accessTokens, "RefreshToken": refreshTokens,
    ]
    do {
      return String(
        decoding: try JSONSerialization.data(withJSONObject: cache, options: .sortedKeys),
        as: UTF8.self)
    } catch { preconditionFailure("a dictionary of strings is JSON") }
  }
}
