import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

/// MSAL keeps entities that it does not understand; so do an import and an export.
@Suite(.timeLimit(.minutes(5))) struct ForeignEntityTests {
  private static let id = Person.ada.id
  private static let login = "login.microsoftonline.com"

  /// Members of entities that have no account, and ones that have.
  static let unreadable: [(member: String, entity: String)] = [
    ("AccessToken", #"{"foo":"bar"}"#), ("RefreshToken", #"{"foo":"bar"}"#),
    ("IdToken", #"{"foo":"bar"}"#), ("Account", #"{"foo":"bar"}"#),
    ("AppMetadata", #"{"foo":"bar"}"#), ("AccessToken", #""text""#), ("Account", "[1.50,null]"),
    ("IdToken", "null"), ("AppMetadata", #"{"environment":"\#(login)","family_id":"1"}"#),
    ("AppMetadata", #"{"client_id":["c"],"environment":"\#(login)"}"#),
    ("AccessToken", #"{"environment":"h","client_id":"c"}"#),
    ("AccessToken", #"{"environment":"h","client_id":"c","secret":""}"#),
    ("IdToken", #"{"environment":"h","secret":"fake-foreign"}"#),
    ("IdToken", token("IdToken", #""secret":"""#)),
    ("IdToken", token("IdToken", #""secret":null"#)),
    ("RefreshToken", #"{"client_id":"c","secret":"fake-foreign"}"#),
    ("RefreshToken", #"{"home_account_id":"\#(id)","client_id":"c","secret":"fake-foreign"}"#),
    ("Account", #"{"home_account_id":"\#(id)","username":"ada@contoso.example"}"#),
    ("Account", #"{"home_account_id":"\#(id)","environment":"\#(login)","username":7}"#),
    ("Account", #"{"environment":"\#(login)","username":"a\u001b[2J"}"#),
    ("Account", #"{"home_account_id":"u\u0000.t","environment":"\#(login)"}"#),
    ("AccessToken", token("AccessToken", #""target":["a","b"]"#)),
    ("AccessToken", token("AccessToken", #""secret":{"odd":1e3}"#)),
    ("AccessToken", token("AccessToken", #""expires_on":"tomorrow""#)),
    ("AccessToken", token("AccessToken", #""expires_on":{}"#)),
    ("AccessToken", token("AccessToken", #""cached_at":false"#)),
    ("AccessToken", token("AccessToken", #""token_type":1"#)),
    ("AccessToken", token("AccessToken", #""kid":1"#)),
    ("AccessToken", token("AccessToken", #""requested_claims":{}"#)),
    ("AccessToken", token("AccessToken", #""environment":["\#(login)"]"#)),
    ("AccessToken", token("AccessToken", #""credential_type":7"#)),
    ("RefreshToken", token("RefreshToken", #""family_id":true"#)),
    ("RefreshToken", token("RefreshToken", #""home_account_id":7"#)),
  ]

  private static func token(_ type: String, _ field: String) -> String {
    """
    {"credential_type":"\(type)","environment":"\(login)","home_account_id":"\(id)","client_id":\
    "c","realm":"\(Person.contoso)","secret":"fake-foreign","target":"a",\(field)}
    """
  }

  private static func entity(_ member: String, _ entity: String) throws -> MSALCache {
    try MSALCache(json: Array(#"{"\#(member)":{"key of it":\#(entity)}}"#.utf8))
  }

  @Test(arguments: unreadable)
  func anEntityThatCannotBeReadIsExportedAsItWasImported(
    member: String, entity: String
  ) throws {
    let cache = try Self.entity(member, entity)
    #expect(cache.profiles.isEmpty && cache.apps.isEmpty)
    for token in cache.tokens {
      guard case .other = token.credential.kind else {
        Issue.record("\(token.credential.kind)")
        continue
      }
    }
    let session = try TestVault().groupSession()
    try session.importCache(Person.ada.cache() + cache)
    let exported = try JSONValue(parsing: try session.exportCache(.all).json())
    let expected = try JSONValue(parsing: Array(entity.utf8))
    #expect(exported[member]?["key of it"]?.bytes == expected.bytes)
    #expect(try session.tokenText() == "fake-at-ada@contoso.example")
    // A second import of the export changes nothing.
    let again = try session.importCache(MSALCache(json: try session.exportCache(.all).json()))
    #expect(again.credentials == 0 && again.added.isEmpty && again.updated.isEmpty)
    #expect(try JSONValue(parsing: try session.exportCache(.all).json()) == exported)
  }

  @Test(arguments: [
    #"\u0000"#, #"\n"#, #"\r"#, #"\t"#, #"\u001b[2J"#, #"\u007f"#, #"\u0085"#, #"\u2028"#,
  ])
  func aNameWithAControlCharacterIsKeptAndNeverShown(character: String) throws {
    let text = """
      {"Account":{"a":{"environment":"h","home_account_id":"a","username":"x\(character)y"}},
       "AccessToken":{"b":{"environment":"h","client_id":"c","secret":"s",
        "home_account_id":"u\(character).t"}},
       "X":{"c":{"home_account_id":"a\(character)b"}},"Y\(character)":{"d":{}}}
      """
    let cache = try MSALCache(json: Array(text.utf8))
    let session = try TestVault().groupSession()
    try session.importCache(cache)
    for account in try session.accounts(.all).accounts {
      #expect(!(account.username + account.identifier).hasControlCharacters)
    }
    let before = try JSONValue(parsing: Array(text.utf8))
    let after = try JSONValue(parsing: try session.exportCache(.all).json())
    for member in before.members ?? [] {
      #expect(after[member.name]?.bytes == member.value.bytes)
    }
  }

  @Test func anOverlongNameIsKeptAsForeign() throws {
    let name = String(repeating: "n", count: MSALCache.nameLimit + 1)
    let cache = try Self.entity("Account", #"{"environment":"h","username":"\#(name)"}"#)
    #expect(cache.profiles.isEmpty)
    #expect(String(decoding: try cache.json(), as: UTF8.self).contains(name))
  }

  @Test func entitiesThatCannotBeReadAccumulateOverSeveralImports() throws {
    let session = try TestVault().groupSession()
    for text in [
      #"{"AppMetadata":{"a":{"foo":1},"b":{"foo":2}}}"#, #"{"AppMetadata":{"b":{"foo":3}}}"#,
      #"{"IdToken":{"a":"x"}}"#,
    ] { try session.importCache(try MSALCache(json: Array(text.utf8))) }
    let exported = try JSONValue(parsing: try session.exportCache(.all).json())
    #expect(exported["AppMetadata"]?.bytes == Array(#"{"a":{"foo":1},"b":{"foo":3}}"#.utf8))
    #expect(exported["IdToken"]?.bytes == Array(#"{"a":"x"}"#.utf8))
  }

  // MARK: Sign-out

  @Test func aForeignEntityThatNamesTheAccountIsErasedWithItAndOthersStay() throws {
    let (ada, bob) = (Person.ada, Person.bob)
    let text = """
      {"AccessToken":{
        "\(ada.id)-\(Self.login)-accesstoken-c--":{"secret":{"x":"fake-of-ada-1"}},
        "\(bob.id)-\(Self.login)-accesstoken-c--":{"secret":{"x":"fake-of-bob-1"}},
        "k":{"deep":[{"home_account_id":"\(ada.id.uppercased())"}],"x":"fake-of-ada-2"},
        "l":{"foo":"bar"}},
       "IdToken":{"k":{"home_account_id":"\(ada.id)","secret":"","x":"fake-of-ada-3"}},
       "Account":{"k":{"username":"ADA@contoso.example","x":"fake-of-ada-4"},
        "l":{"username":"\(bob.username)","x":"fake-of-bob-2"},
        "m":{"home_account_id":"\(ada.id)","x":"fake-of-ada-5"}}}
      """
    let session = try TestVault().groupSession()
    let foreign = try MSALCache(json: Array(text.utf8))
    try session.importCache(ada.cache() + bob.cache() + foreign)
    try session.signOut([ada.id])
    let left = String(decoding: try session.exportCache(.all).json(), as: UTF8.self)
    #expect(!left.contains("fake-of-ada") && !left.lowercased().contains("ada@"))
    #expect(left.contains("fake-of-bob-1") && left.contains("fake-of-bob-2"))
    #expect(left.contains(#""l":{"foo":"bar"}"#))
  }

  // MARK: The family's refresh token

  /// MSAL Node has a key with the family in the place of the client.
  @Test func aFamilyRefreshTokenInCamelCaseIsKeptBesideTheClients() throws {
    func token(_ key: String, _ secret: String, _ more: String = "") -> String {
      """
      "\(Self.id)-\(Self.login)-refreshtoken-\(key)":{"credential_type":"RefreshToken",\
      "secret":"\(secret)","home_account_id":"\(Self.id)","environment":"\(Self.login)",\
      "client_id":"c"\(more)}
      """
    }
    for family in [
      #","familyId":"1""#, #","family_id":"1""#, #","family_id":"1","familyId":"1""#,
      #","family_id":"1","familyId":"2""#,
    ] {
      let text = """
        {"RefreshToken":{\(token("1----", "fake-family", family)),\(token("c----", "fake-own"))},
         "AppMetadata":{"appmetadata-\(Self.login)-c":{"client_id":"c","environment":"\(Self.login)"\
        \(family)}}}
        """
      let cache = try MSALCache(json: Array(text.utf8))
      #expect(cache.token("fake-family")?.credential.familyID == "1")
      #expect(cache.token("fake-own")?.credential.familyID == "")
      #expect(cache.apps.map(\.familyID) == ["1"])
      let session = try TestVault().groupSession()
      #expect(try session.importCache(cache).credentials == 2)
      let before = try JSONValue(parsing: Array(text.utf8))
      let after = try JSONValue(parsing: try session.exportCache(.all).json())
      func entities(_ file: JSONValue) -> Set<[UInt8]> {
        Set(file["RefreshToken"]?.members?.map(\.value.bytes) ?? [])
      }
      #expect(entities(before).count == 2 && entities(after) == entities(before))
      #expect(after["AppMetadata"]?.bytes == before["AppMetadata"]?.bytes)
      // The key distinguishes the two as in the other libraries.
      #expect(
        after["RefreshToken"]?.members?.map(\.name) == [
          "\(Self.id)-\(Self.login)-refreshtoken-1--", "\(Self.id)-\(Self.login)-refreshtoken-c--",
        ])
      // What a later sign-in says about the family counts, under every name.
      var app = try #require(cache.apps.first)
      app.setFamily("")
      let rest = try MSALCache(json: MSALCache(apps: [app]).json())
      #expect(rest.apps.map(\.familyID) == [""])
    }
  }
}
