import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct MSALCacheExportTests {
  @Test func keysMatchThoseOfMSALPython() throws {
    let fixture = try JSONValue(parsing: Array(MSALCacheFixtures.python.utf8))
    let export = try JSONValue(
      parsing: try MSALCache(json: Array(MSALCacheFixtures.python.utf8)).json())
    for member in ["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"] {
      #expect(
        export[member]?.members?.map(\.name) == fixture[member]?.members?.map(\.name).sorted())
    }
  }

  @Test(
    .parity(
      "SerializableTokenCache.serialize", "SerializableTokenCache.deserialize", "cache.Marshaler",
      "cache.Unmarshaler"))
  func aCacheOfMSALPythonSurvivesARoundTripUnchanged() throws {
    let fixture = try JSONValue(parsing: Array(MSALCacheFixtures.python.utf8))
    let cache = try MSALCache(json: Array(MSALCacheFixtures.python.utf8))
    #expect(try cache.json() == fixture.bytes)
  }

  /// The bearer token gets the plain key.
  @Test func tokensWithEqualKeysGetDistinctKeys() throws {
    var bearer = Credential(kind: .accessToken, clientID: "c", environment: "h")
    bearer.realm = "r"
    bearer.target = "a"
    var bound = bearer
    bound.tokenType = "pop"
    bound.keyID = "k"
    let cache = MSALCache(tokens: [
      .init(credential: bound, homeAccountID: "u.t", secret: Redacted("bound")),
      .init(credential: bearer, homeAccountID: "u.t", secret: Redacted("bearer")),
    ])
    let tokens = try JSONValue(parsing: try cache.json())["AccessToken"]
    #expect(tokens?["u.t-h-accesstoken-c-r-a"]?["secret"] == .string("bearer"))
    #expect(tokens?["u.t-h-accesstoken-c-r-a-2"]?["secret"] == .string("bound"))
  }

  /// MSAL requires a time.
  @Test func anAccessTokenWithoutExpiryIsWrittenAsExpired() throws {
    let cache = MSALCache(tokens: [
      .init(
        credential: Credential(kind: .accessToken, clientID: "c", environment: "h"),
        homeAccountID: "", secret: Redacted("s"))
    ])
    let text = try cache.json()
    #expect(String(decoding: text, as: UTF8.self).contains(#""expires_on":"0""#))
    #expect(try MSALCache(json: text) == cache)
  }

  @Test func serviceSecretsAreLeftOut() throws {
    let cache = MSALCache(tokens: [
      .init(
        credential: Credential(kind: .secret, clientID: "", environment: "h"),
        homeAccountID: "", secret: Redacted("fake-password"))
    ])
    #expect(try cache.json() == MSALCache().json())
  }

  @Test func extraFieldsThatAreNotAnObjectAreAnError() {
    for extra in ["[]", "{", "1"] {
      let cache = MSALCache(apps: [
        .init(clientID: "c", environment: "h", familyID: "", extraJSON: Array(extra.utf8))
      ])
      #expect(
        throws: MSALCacheError.badEntity(
          member: .appMetadata, index: 0, field: .entity, problem: .wrongType)
      ) { try cache.json() }
    }
  }

  @Test func printingACacheShowsNoToken() throws {
    let cache = try MSALCache(json: Array(MSALCacheFixtures.python.utf8))
    var dumped = ""
    dump(cache, to: &dumped)
    for text in ["\(cache)", String(reflecting: cache), dumped] {
      #expect(!text.contains("fake-at") && !text.contains("fake-rt"))
    }
  }

  @Test(
    .parity(
      "SerializableTokenCache.serialize", "SerializableTokenCache.deserialize", "cache.Marshaler",
      "cache.Unmarshaler"), arguments: 1...150 as ClosedRange<UInt64>)
  func randomCachesSurviveARoundTrip(seed: UInt64) throws {
    var random = SplitMix64(state: seed)
    let cache = MSALCache.random(using: &random)
    let text = try cache.json()
    let back = try MSALCache(json: text)
    #expect(Set(back.profiles) == Set(cache.profiles))
    #expect(Set(back.tokens) == Set(cache.tokens))
    #expect(Set(back.apps) == Set(cache.apps))
    #expect(Set(back.unknown) == Set(cache.unknown))
    #expect(try back.json() == text)

    var shuffled = cache
    shuffled.profiles.shuffle(using: &random)
    shuffled.tokens.shuffle(using: &random)
    shuffled.apps.shuffle(using: &random)
    shuffled.unknown.shuffle(using: &random)
    #expect(try shuffled.json() == text)
  }
}

extension SplitMix64 {
  fileprivate mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }

  /// One of a few strings, so that values collide; some of them break careless writers.
  fileprivate mutating func name() -> String {
    pick(["", "a", "A", "-", "a-b", "é", "e\u{301}", "İ", "😀", "\"\\/", "{}", " ", "null"])
  }

  fileprivate mutating func someName() -> String { "n" + name() }

  fileprivate mutating func time() -> Timestamp? {
    pick([
      nil, Timestamp(epochSeconds: 1), Timestamp(epochSeconds: 1_700_000_000),
      Timestamp(epochSeconds: .max), Timestamp(epochSeconds: -1),
    ])
  }

  fileprivate mutating func json(_ depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0..<(depth < 3 ? 6 : 4), using: &self) {
    case 0: pick([.null, .bool(true), .bool(false)])
    case 1: .number(pick(["0", "-0", "1.50", "1e400", "9223372036854775808", "-1.0E-7"]))
    case 2, 3: .string(name() + pick(["", "\u{0}", "\n", "\u{7f}", "\u{2028}"]))
    case 4: .array((0..<3).map { _ in json(depth + 1) })
    default: object(depth + 1)
    }
  }

  fileprivate mutating func object(_ depth: Int = 0) -> JSONValue {
    .object(["x", "ÿ", "z\n"].shuffled(using: &self).prefix(2).map { .init($0, json(depth + 1)) })
  }

  fileprivate mutating func extra() -> [UInt8] { Bool.random(using: &self) ? [] : object().bytes }
}

extension MSALCache {
  fileprivate static func random(using random: inout SplitMix64) -> MSALCache {
    var cache = MSALCache()
    for index in 0..<Int.random(in: 0..<6, using: &random) {
      cache.profiles.append(
        Profile(
          homeAccountID: "\(index)" + random.name(), environment: random.someName().lowercased(),
          realm: random.name(), localAccountID: random.name(), username: random.name(),
          authorityType: random.name(), extraJSON: random.extra()))
      cache.apps.append(
        App(
          clientID: "\(index)" + random.name(), environment: random.someName().lowercased(),
          familyID: random.name(), extraJSON: random.extra()))
    }
    for index in 0..<Int.random(in: 0..<12, using: &random) {
      var credential = Credential(
        kind: random.pick([.accessToken, .refreshToken, .idToken]),
        clientID: "\(index)" + random.name(), environment: random.someName().lowercased())
      credential.realm = random.name()
      credential.target = random.name() + " " + random.name()
      credential.tokenType = random.pick(["", "Bearer", "pop"])
      credential.cachedAt = random.time()
      credential.expiresOn = random.time()
      credential.extendedExpiresOn = random.time()
      credential.refreshOn = random.time()
      credential.familyID = random.name()
      credential.keyID = random.name()
      credential.requestedClaims = random.pick(["", "{\"a\":\n1}"])
      credential.userAssertionHash = random.name()
      credential.lastModified = random.time()
      cache.tokens.append(
        Token(
          credential: credential, homeAccountID: random.name(),
          secret: Redacted("s" + random.name() + random.pick(["", "\u{0}\n"])),
          extraJSON: random.extra()))
    }
    for index in 0..<Int.random(in: 0..<3, using: &random) {
      let secret = random.pick(["", "s"])
      let account = "\(index)" + random.name()
      let member = random.pick(["AccessToken", "New"])
      let type = random.pick(["Odd", "Bound"])
      let entity = JSONValue.object([
        .init("credential_type", .string(type)), .init("home_account_id", .string(account)),
        .init("more", random.object()),
      ])
      cache.tokens.append(
        Token(
          credential: Credential(kind: .other(type), clientID: "", environment: ""),
          homeAccountID: account, secret: Redacted(secret),
          extraJSON: JSONValue.object([
            .init("entity", entity), .init("key", .string("\(index)")),
            .init("member", .string(member)),
          ]).bytes))
      cache.unknown.append(
        UnknownMember(name: "unknown\(index)" + random.name(), json: random.json().bytes))
    }
    return cache
  }
}
