import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct MSALCacheImportTests {
  typealias Fixtures = MSALCacheFixtures

  @Test(.parity("SerializableTokenCache.deserialize", "cache.Unmarshaler"))
  func aCacheOfMSALPythonIsReadCompletely() throws {
    let cache = try MSALCache(json: Array(Fixtures.python.utf8))
    #expect(
      cache.profiles == [
        MSALCache.Profile(
          homeAccountID: Fixtures.ada, environment: Fixtures.login, realm: Fixtures.contoso,
          localAccountID: "11111111-1111-4111-8111-111111111111",
          username: "ada@contoso.example", authorityType: "MSSTS",
          extraJSON: Array(#"{"account_source":"authorization_code"}"#.utf8))
      ])
    #expect(
      cache.apps == [
        MSALCache.App(clientID: Fixtures.azureCLI, environment: Fixtures.login, familyID: "1")
      ])
    #expect(cache.unknown.isEmpty)
    #expect(cache.tokens.count == 4)

    let access = try #require(cache.token("fake-at"))
    #expect(access.homeAccountID == Fixtures.ada)
    #expect(access.extraJSON.isEmpty)
    #expect(access.credential.kind == .accessToken)
    #expect(access.credential.clientID == Fixtures.azureCLI)
    #expect(access.credential.environment == Fixtures.login)
    #expect(access.credential.realm == Fixtures.contoso)
    #expect(access.credential.target == "a.read b.read")
    #expect(access.credential.tokenType == "Bearer")
    #expect(access.credential.cachedAt == Timestamp(epochSeconds: 1_700_000_000))
    #expect(access.credential.expiresOn == Timestamp(epochSeconds: 1_700_003_600))
    #expect(access.credential.extendedExpiresOn == Timestamp(epochSeconds: 1_700_007_200))
    #expect(access.credential.refreshOn == Timestamp(epochSeconds: 1_700_001_800))

    let refresh = try #require(cache.token("fake-rt"))
    #expect(refresh.credential.kind == .refreshToken)
    #expect(refresh.credential.familyID == "1")
    #expect(refresh.credential.lastModified == Timestamp(epochSeconds: 1_700_000_000))
    #expect(try #require(cache.token("h.e.s")).credential.kind == .idToken)
  }

  @Test func aTokenWithoutAnAccountIsReadAndNullStaysNull() throws {
    let cache = try MSALCache(json: Array(Fixtures.python.utf8))
    let token = try #require(cache.token("fake-device-at"))
    #expect(token.homeAccountID.isEmpty)
    let text = String(decoding: try cache.json(), as: UTF8.self)
    #expect(text.contains(#""home_account_id":null"#))
    #expect(!text.contains(#""home_account_id":"""#))
  }

  @Test func aCacheOfMSALGoIsReadAndManagedIdentitiesStayApart() throws {
    let cache = try MSALCache(json: Array(Fixtures.go.utf8))
    let access = try #require(cache.token("fake-go-at"))
    #expect(access.credential.tokenType == "pop")
    #expect(access.credential.keyID == "key-1")
    #expect(access.credential.refreshOn == Timestamp(epochSeconds: 1_700_001_800))
    #expect(try #require(cache.token("h.e.s")).credential.kind == .idToken)
    #expect(try #require(cache.token("fake-go-rt")).credential.familyID == "1")
    #expect(cache.token("fake-mi-one") != nil)
    #expect(cache.token("fake-mi-two") != nil)
  }

  @Test func aCacheOfMSALDotNETIsReadAndExtendedTokensAreNotAccessTokens() throws {
    let cache = try MSALCache(json: Array(Fixtures.dotNet.utf8))
    let bound = try #require(cache.token("fake-net-pop"))
    #expect(bound.credential.keyID == "key-2")
    #expect(bound.credential.extendedExpiresOn == Timestamp(epochSeconds: 1_700_003_600))
    let extended = try #require(cache.token("fake-net-ext"))
    #expect(extended.credential.kind == .other("atext"))
    #expect(extended.homeAccountID == Fixtures.ada)
    #expect(
      cache.unknown.map { String(decoding: $0.json, as: UTF8.self) } == [
        #"{"anything":[1,2.50,-0,1e3,18446744073709551615]}"#
      ])
    #expect(
      cache.profiles.map { String(decoding: $0.extraJSON, as: UTF8.self) } == [
        #"{"client_info":"e30","name":"Ada","wam_account_ids":{"\#(Fixtures.azureCLI)":"wam-1"}}"#
      ])
  }

  @Test func aCacheOfMSALJavaAndJSIsRead() throws {
    let cache = try MSALCache(json: Array(Fixtures.javaScript.utf8))
    let access = try #require(cache.token("fake-js-at"))
    #expect(access.credential.environment == Fixtures.login)
    #expect(access.credential.cachedAt == Timestamp(epochSeconds: 1_700_000_000))
    #expect(access.credential.expiresOn == Timestamp(epochSeconds: 1_700_003_600))
    #expect(access.credential.userAssertionHash == "assertion")
    #expect(access.credential.requestedClaims == #"{"id_token":{}}"#)
    #expect(
      try #require(cache.token("fake-js-pop")).credential.kind
        == .other("AccessToken_With_AuthScheme"))
    #expect(cache.apps.isEmpty)
  }

  @Test func cachesOfMSALJavaAndAndroidAreRead() throws {
    let java = try MSALCache(json: Array(Fixtures.java.utf8))
    #expect(java.token("fake-java-rt")?.credential.target == "b.read a.read")
    #expect(java.token("fake-java-at")?.credential.refreshOn == nil)
    #expect(java.apps.map(\.familyID) == [""])
    let android = try MSALCache(json: Array(Fixtures.android.utf8))
    let access = try #require(android.token("fake-android-at")).credential
    #expect(access.kind == .accessToken && access.effectiveTokenType == "pop")
    #expect(access.keyID == "key-4")
    #expect(android.token("fake-android-app-at")?.credential.kind == .other("AccessToken"))
    #expect(android.token("fake-android-rt")?.credential.familyID == "1")
    #expect(android.token("h.e.s")?.credential.kind == .other("V1IdToken"))
    #expect(android.tokens.allSatisfy { $0.homeAccountID == Fixtures.ada })
  }

  @Test func entriesOfMSALForIOSAndMacOSBelongToTheirAccountAndSurvive() throws {
    let cache = try MSALCache(json: Array(Fixtures.objectiveC.utf8))
    let family = try #require(cache.token("fake-objc-frt"))
    #expect(family.credential.kind == .refreshToken)
    #expect(family.credential.familyID == "1")
    #expect(family.credential.lastModified == Timestamp(epochSeconds: 1_700_000_000))
    let primary = try #require(cache.token("fake-objc-prt"))
    #expect(primary.credential.kind == .other("PrimaryRefreshToken"))
    let bound = try #require(cache.token("fake-objc-bound"))
    #expect(bound.credential.kind == .other("BoundRefreshToken"))
    #expect(cache.tokens.allSatisfy { $0.homeAccountID == Fixtures.ada })

    #expect(cache.unknown.map(\.name) == ["AccountMetadata", "BoundRefreshToken"])
    #expect(cache.unknown.map(\.homeAccountIDs) == [[Fixtures.ada], []])

    let before = try JSONValue(parsing: Array(Fixtures.objectiveC.utf8))
    let after = try JSONValue(parsing: try cache.json())
    for path in [["RefreshToken", "l"], ["BoundRefreshToken"], ["AccountMetadata"]] {
      let pick = { (value: JSONValue) in path.reduce(value) { $0[$1] ?? .null } }
      #expect(pick(before) != .null)
      #expect(pick(after).bytes == pick(before).bytes)
    }
  }

  @Test(
    .parity(
      "SerializableTokenCache.serialize", "SerializableTokenCache.deserialize", "cache.Marshaler",
      "cache.Unmarshaler"),
    arguments: [
      MSALCacheFixtures.python, MSALCacheFixtures.go, MSALCacheFixtures.dotNet,
      MSALCacheFixtures.javaScript, MSALCacheFixtures.java, MSALCacheFixtures.android,
      MSALCacheFixtures.objectiveC,
    ])
  func unknownFieldsSurviveARoundTrip(fixture: String) throws {
    let first = try MSALCache(json: Array(fixture.utf8))
    let text = try first.json()
    let second = try MSALCache(json: text)
    #expect(first == second)
    #expect(try second.json() == text)

    let known = MSALCache.tokenFields
    let after = try JSONValue(parsing: text)
    let written = Set(MSALCacheImportTests.entities(of: after).flatMap { $0 })
    for fields in MSALCacheImportTests.entities(of: try JSONValue(parsing: Array(fixture.utf8))) {
      for field in fields where !known.contains(field.name) && field.name != "environment" {
        #expect(written.contains(field), "\(field.name)")
      }
    }
  }

  @Test func theNewerOfTwoEqualEntitiesIsUsedInEveryOrder() throws {
    func entity(_ secret: String, cachedAt: Int, target: String) -> String {
      """
      {"credential_type":"AccessToken","secret":"\(secret)","home_account_id":"u.t",
       "environment":"h","client_id":"c","realm":"r","target":"\(target)",
       "cached_at":"\(cachedAt)","expires_on":"9"}
      """
    }
    let old = entity("old", cachedAt: 1, target: "a b")
    let new = entity("new", cachedAt: 2, target: "B a")
    let other = entity("other", cachedAt: 2, target: "a c")
    for entries in [
      #""1":\#(old),"2":\#(new),"3":\#(other)"#, #""3":\#(other),"1":\#(new),"2":\#(old)"#,
    ] {
      let cache = try MSALCache(json: Array(#"{"AccessToken":{\#(entries)}}"#.utf8))
      #expect(cache.tokens.map { $0.secret.reveal() } == ["new", "other"])
    }
    for (entries, secret) in [
      (
        #""1":\#(entity("x", cachedAt: 1, target: "a")),"2":\#(entity("y", cachedAt: 1, target: "a"))"#,
        "y"
      ),
      (
        #""2":\#(entity("x", cachedAt: 1, target: "a")),"1":\#(entity("y", cachedAt: 1, target: "a"))"#,
        "x"
      ),
    ] {
      let cache = try MSALCache(json: Array(#"{"AccessToken":{\#(entries)}}"#.utf8))
      #expect(cache.tokens.map { $0.secret.reveal() } == [secret])
    }
  }

  @Test func anEntityIsIdentifiedByItsFieldsNotItsPlace() throws {
    let cache = try MSALCache(
      json: Array(
        """
        {"AccessToken":{"anything":{"credential_type":"RefreshToken","secret":"s",
         "home_account_id":"u.t","environment":"h","client_id":"c"}}}
        """.utf8))
    #expect(cache.tokens.map(\.credential.kind) == [.refreshToken])
    let after = try JSONValue(parsing: try cache.json())
    #expect(after["RefreshToken"]?.members?.map(\.name) == ["u.t-h-refreshtoken-c--"])
  }

  @Test func canonicallyEquivalentIdentifiersAreDifferentAccounts() throws {
    let cache = try MSALCache(
      json: Array(
        #"""
        {"Account":{"1":{"home_account_id":"\u00e9","environment":"h"},
                    "2":{"home_account_id":"e\u0301","environment":"h"}}}
        """#.utf8))
    #expect(cache.profiles.count == 2)
    #expect(try MSALCache(json: try cache.json()).profiles.count == 2)
  }

  @Test func anEmptyCacheIsValid() throws {
    #expect(try MSALCache(json: Array("{}".utf8)) == MSALCache())
    #expect(try MSALCache(json: Array(#"{"AccessToken":{}}"#.utf8)) == MSALCache())
    #expect(try MSALCache(json: try MSALCache().json()) == MSALCache())
  }

  private static func entities(of file: JSONValue) -> [[JSONValue.Member]] {
    (file.members ?? []).flatMap { $0.value.members ?? [] }.compactMap(\.value.members)
  }
}

extension MSALCache {
  func token(_ secret: String) -> Token? { tokens.first { $0.secret.reveal() == secret } }
}
