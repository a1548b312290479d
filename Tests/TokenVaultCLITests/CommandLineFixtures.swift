import Foundation
import TokenVaultTestSupport

/// The files in the home of a transcript. All names, ids and tokens are invented.
struct CommandLineFixtures {
  let now = Int(Date().timeIntervalSince1970)
  static let contoso = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
  static let client = "04b07795-8ddb-461a-bbee-02f9e1bf7b46"

  private static let realm = "https://id.example.com/realms/"

  /// A cache with an account of an OpenID Connect provider. Two issuers have one host, subject and
  /// user name.
  private func cache(ofIssuer issuer: String) -> String {
    let claims = #"{"iss":"\#(issuer)","sub":"ada","preferred_username":"ada@id.example"}"#
    let payload = Data(claims.utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    let base = #""home_account_id":"ada","environment":"id.example.com","realm":"realms""#
    return """
      {"Account":{"a":{\(base),"local_account_id":"ada","username":"ada@id.example",
        "authority_type":"MSSTS"}},
       "AccessToken":{"t":{\(base),"client_id":"c","credential_type":"AccessToken",
        "secret":"at of \(issuer)","target":"read","cached_at":"\(now - 100)",
        "expires_on":"\(now + 3600)","extended_expires_on":"\(now + 3600)"}},
       "IdToken":{"i":{\(base),"client_id":"c","credential_type":"IdToken",
        "secret":"e30.\(payload).s"}}}
      """
  }

  /// A home with token caches in it.
  func home(_ service: PrivateSecretService) throws -> ShellHome {
    let program = try BuiltProduct("tokenvault").url
    let home = try ShellHome(service, programs: program.deletingLastPathComponent())
    let profile =
      "\u{feff}"
        + """
        {"subscriptions": [{"id": "s", "isDefault": true, "tenantId": "\(Self.contoso)",
          "user": {"name": "bob@contoso.example", "type": "user"}}]}
        """
    for (name, text) in [
      ("cache.json", cache(["ada": 3600, "bob": -600])), ("one.json", cache(["ada": 3600])),
      ("azure/msal_token_cache.json", cache(["ada": 3600, "bob": -600])),
      ("azure/azureProfile.json", profile), ("notjson.json", "{\"Account\": "),
      ("nocache.json", "[1]"), ("realm-one.json", cache(ofIssuer: Self.realm + "one")),
      ("realm-two.json", cache(ofIssuer: Self.realm + "two")),
    ] {
      let file = home.directory.appending(path: name)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try Data(text.utf8).write(to: file)
    }
    return home
  }

  /// A cache with one account for each name; its access token expires in that many seconds.
  func cache(_ people: KeyValuePairs<String, Int>) -> String {
    var members: [String: [String]] = [:]
    for (name, seconds) in people {
      let object = String(name.utf8.first ?? 0)
      let id =
        String(repeating: "0", count: 8 - object.count) + object + "-1111-4111-8111-111111111111"
      let base =
        #""home_account_id":"\#(id).\#(Self.contoso)","environment":"login.microsoftonline.com""#
      let client = #""client_id":"\#(Self.client)""#
      members["Account", default: []].append(
        #""\#(name)":{\#(base),"realm":"\#(Self.contoso)","local_account_id":"\#(id)","#
          + #""username":"\#(name)@contoso.example","authority_type":"MSSTS"}"#)
      members["AccessToken", default: []].append(
        #""\#(name)":{\#(base),\#(client),"credential_type":"AccessToken","secret":"at-\#(name)","#
          + #""target":"User.Read openid","realm":"\#(Self.contoso)","token_type":"Bearer","#
          + #""cached_at":"\#(now - 4000)","expires_on":"\#(now + seconds)","#
          + #""extended_expires_on":"\#(now + seconds)"}"#)
      members["RefreshToken", default: []].append(
        #""\#(name)":{\#(base),\#(client),"credential_type":"RefreshToken","secret":"rt-\#(name)","#
          + #""target":"User.Read","family_id":"1","last_modification_time":"\#(now - 4000)"}"#)
    }
    let body = members.sorted { $0.key < $1.key }
      .map { #""\#($0.key)":{\#($0.value.joined(separator: ","))}"# }
    return "{" + body.joined(separator: ",") + "}"
  }
}
