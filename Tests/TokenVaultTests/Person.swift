import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

/// An account to import. All names, ids and tokens are made up.
struct Person {
  var id: String
  var username: String
  var realm: String
  var environment = "login.microsoftonline.com"
  var authorityType = "MSSTS"

  static let contoso = "aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa"
  static let fabrikam = "bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb"
  static let ada = Person(
    id: "11111111-1111-4111-8111-111111111111.\(contoso)", username: "ada@contoso.example",
    realm: contoso)
  static let bob = Person(
    id: "22222222-2222-4222-8222-222222222222.\(fabrikam)", username: "Bob@fabrikam.example",
    realm: fabrikam)

  static func eve(policy: String) -> Person {
    Person(
      id: "33333333-3333-4333-8333-333333333333-\(policy).\(fabrikam)",
      username: "eve@mail.example", realm: fabrikam, environment: "shop.b2clogin.com")
  }

  func profile(realm: String? = nil, username: String? = nil, local: String? = nil)
    -> MSALCache.Profile
  {
    MSALCache.Profile(
      homeAccountID: id, environment: environment, realm: realm ?? self.realm,
      localAccountID: local ?? HomeAccountID(id).objectID, username: username ?? self.username,
      authorityType: authorityType)
  }

  func token(
    _ kind: Credential.Kind, _ secret: String, client: String = Clients.cli,
    _ change: (inout Credential) -> Void = { _ in }
  ) -> MSALCache.Token {
    var credential = Credential(kind: kind, clientID: client, environment: environment)
    credential.lastModified = Timestamp(epochSeconds: TestVault.start - 100)
    change(&credential)
    return MSALCache.Token(
      credential: credential, homeAccountID: id, secret: Redacted(secret))
  }

  /// An access token that is valid for another hour.
  func access(
    _ secret: String, _ scopes: String = "User.Read", client: String = Clients.cli,
    realm: String? = nil, _ change: (inout Credential) -> Void = { _ in }
  ) -> MSALCache.Token {
    token(.accessToken, secret, client: client) {
      $0.realm = realm ?? self.realm
      $0.target = scopes
      $0.lastModified = nil
      $0.cachedAt = Timestamp(epochSeconds: TestVault.start - 100)
      $0.expiresOn = Timestamp(epochSeconds: TestVault.start + 3600)
      change(&$0)
    }
  }

  func refresh(_ secret: String, client: String = Clients.cli, family: String = "")
    -> MSALCache.Token
  {
    token(.refreshToken, secret, client: client) { $0.familyID = family }
  }

  /// A profile, a refresh token and an access token.
  func cache(_ mark: String = "") -> MSALCache {
    MSALCache(
      profiles: [profile()],
      tokens: [refresh("fake-rt-\(username)\(mark)"), access("fake-at-\(username)\(mark)")])
  }
}
