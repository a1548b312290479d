import Testing

@testable import TokenVault

@Suite("Refusing what is no token cache")
struct MSALCacheRefusalTests {
  private func refusal(_ text: String) -> MSALCacheError? { refusal(Array(text.utf8)) }

  private func refusal(_ bytes: [UInt8]) -> MSALCacheError? {
    do {
      _ = try MSALCache(json: bytes)
      return nil
    } catch {
      return error
    }
  }

  private func access(_ fields: String) -> String {
    """
    {"AccessToken":{"k":{"credential_type":"AccessToken","environment":"h","client_id":"c",\
    "secret":"s",\(fields)}}}
    """
  }

  @Test("a file over 64 MiB is refused unread")
  func hugeFile() {
    let bytes = [UInt8](repeating: 0x20, count: MSALCache.fileLimit + 1)
    #expect(refusal(bytes) == .tooLarge(limit: 64 << 20))
  }

  @Test("a secret over 1 MiB is refused, one of 1 MiB is taken")
  func hugeSecret() {
    let most = String(repeating: "x", count: MSALCache.secretLimit)
    let fields = #""secret":"#
    #expect(refusal(access(fields + "\"\(most)\"")) == nil)
    #expect(
      refusal(access(fields + "\"\(most)x\""))
        == .secretTooLarge(member: .accessToken, index: 0, limit: 1 << 20))
  }

  @Test(
    "what is not JSON is refused where it goes wrong",
    arguments: [
      ("", 0), ("{", 1), ("[1,]", 3), (#"{"a":1,}"#, 7), ("{'a':1}", 1), ("nul", 0), ("NaN", 0),
      ("01", 1), ("1.", 2), ("-", 1), ("1e", 2), (#""a"#, 2), ("\"a\u{01}\"", 2), (#""\x""#, 2),
      (#""\ud800""#, 2), (#""\ud800\u0041""#, 2), (#""\udc00""#, 2), (#""\u12g4""#, 5),
      (#"{"a" 1}"#, 5), ("{} {}", 3), ("true false", 5), ("\u{FEFF}\u{FEFF}{}", 3),
    ])
  func notJSON(text: String, offset: Int) {
    #expect(refusal(text) == .notJSON(at: offset))
  }

  @Test("every truncation of a cache is refused")
  func truncated() {
    let bytes = Array(MSALCacheFixtures.go.utf8)
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(refusal(Array(bytes[..<length])) != nil)
    }
  }

  @Test("text that is not UTF-8 is refused")
  func notUTF8() {
    for bad: [UInt8] in [
      [0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80],
    ] {
      let bytes = Array(#"{"AccessToken":{},"x":""#.utf8) + bad + Array(#""}"#.utf8)
      #expect(refusal(bytes) == .notJSON(at: 22))
    }
  }

  @Test("deep nesting is refused without exhausting the stack")
  func deep() {
    let limit = JSONValue.depthLimit
    #expect(refusal(String(repeating: "[", count: 1_000_000)) == .tooDeep(limit: limit))
    #expect(refusal(String(repeating: #"{"a":"#, count: 1_000_000)) == .tooDeep(limit: limit))
  }

  @Test("a list of very many nothings is refused before it fills the memory")
  func many() {
    let text = "[" + String(repeating: "0,", count: JSONValue.countLimit)
    #expect(refusal(text) == .tooMany(limit: JSONValue.countLimit))
  }

  @Test(
    "JSON that is something else is refused",
    arguments: ["[]", "null", "1", #""AccessToken""#, #"{"a":1}"#, #"{"accesstoken":{}}"#])
  func notACache(text: String) {
    #expect(refusal(text) == .notACache)
  }

  @Test("a known member that is no object is refused by name")
  func badMember() {
    #expect(refusal(#"{"Account":[]}"#) == .badMember(.account))
    #expect(refusal(#"{"AccessToken":"x"}"#) == .badMember(.accessToken))
  }

  @Test(
    "a field of the wrong type is refused by name",
    arguments: [
      (#""secret":{}"#, MSALCacheError.Field.secret), (#""home_account_id":7"#, .homeAccountID),
      (#""environment":["h"]"#, .environment), (#""client_id":true"#, .clientID),
      (#""realm":{}"#, .realm), (#""target":[]"#, .target), (#""expires_on":{}"#, .expiresOn),
      (#""cached_at":false"#, .cachedAt), (#""token_type":1"#, .tokenType),
      (#""kid":1"#, .keyID), (#""requested_claims":{}"#, .requestedClaims),
    ])
  func wrongType(field: String, name: MSALCacheError.Field) {
    #expect(
      refusal(access(field))
        == .badEntity(member: .accessToken, index: 0, field: name, problem: .wrongType))
  }

  @Test("an entity that is no object is refused by its place")
  func entityNoObject() {
    #expect(
      refusal(#"{"Account":{"a":{"environment":"h"},"b":"x"}}"#)
        == .badEntity(member: .account, index: 1, field: .entity, problem: .wrongType))
  }

  @Test(
    "a field that nothing can stand in for has to be there",
    arguments: [
      (
        #"{"AccessToken":{"k":{"environment":"h","client_id":"c"}}}"#,
        MSALCacheError.Member.accessToken, MSALCacheError.Field.secret
      ),
      (
        #"{"AccessToken":{"k":{"environment":"h","client_id":"c","secret":""}}}"#,
        .accessToken, .secret
      ),
      (#"{"IdToken":{"k":{"environment":"h","secret":"s"}}}"#, .idToken, .clientID),
      (#"{"RefreshToken":{"k":{"client_id":"c","secret":"s"}}}"#, .refreshToken, .environment),
      (#"{"Account":{"k":{"home_account_id":"u.t"}}}"#, .account, .environment),
      (#"{"AppMetadata":{"k":{"environment":"h"}}}"#, .appMetadata, .clientID),
    ])
  func missing(text: String, member: MSALCacheError.Member, field: MSALCacheError.Field) {
    #expect(
      refusal(text) == .badEntity(member: member, index: 0, field: field, problem: .missing))
  }

  @Test(
    "a time that is none is refused",
    arguments: [
      #""tomorrow""#, #""0x10""#, #""inf""#, #""nan""#, "1e400", #""99999999999999999999""#,
      #""1 ""#, #""2023-11-14T22:13:20Z""#,
    ])
  func notATime(value: String) {
    #expect(
      refusal(access(#""expires_on":\#(value)"#))
        == .badEntity(member: .accessToken, index: 0, field: .expiresOn, problem: .notATime))
  }

  @Test(
    "a name with a control character is refused",
    arguments: [
      #"\u0000"#, #"\n"#, #"\r"#, #"\t"#, #"\u001b[2J"#, #"\u007f"#, #"\u0085"#, #"\u2028"#,
    ])
  func controlCharacters(character: String) {
    #expect(
      refusal(access(#""home_account_id":"u\#(character).t""#))
        == .invalidText(member: .accessToken, index: 0, field: .homeAccountID))
    #expect(
      refusal(#"{"Account":{"k":{"environment":"h","username":"a\#(character)b"}}}"#)
        == .invalidText(member: .account, index: 0, field: .username))
    #expect(
      refusal(#"{"Account":{},"X":{"k":{"home_account_id":"a\#(character)b"}}}"#)
        == .invalidText(member: .other, index: 0, field: .homeAccountID))
    #expect(
      refusal(#"{"Account":{},"X\#(character)":{}}"#)
        == .invalidText(member: .other, index: 0, field: .entity))
  }

  @Test("a name longer than a name is refused")
  func longName() {
    let name = String(repeating: "n", count: MSALCache.nameLimit + 1)
    #expect(
      refusal(#"{"Account":{"k":{"environment":"h","username":"\#(name)"}}}"#)
        == .invalidText(member: .account, index: 0, field: .username))
  }

  @Test("no error repeats what the file says")
  func errorsHoldNoValues() throws {
    let secret = "fake-secret-value"
    for text in [
      #"{"AccessToken":{"\#(secret)":{"environment":"h","client_id":"c","secret":["\#(secret)"]}}}"#,
      #"{"AccessToken":{"k":{"environment":"\#(secret)\n"}}}"#,
      #"{"Account":{},"\#(secret)":{"k":{"home_account_id":"\#(secret)\n"}}}"#,
      #"{"AccessToken":"\#(secret)"}"#, #"{"AccessToken":"\#(secret)"#,
    ] {
      let error = try #require(refusal(text))
      #expect(!String(reflecting: error).contains(secret))
    }
  }
}
