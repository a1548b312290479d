import Testing

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct MSALCacheRefusalTests {
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

  @Test func aFileOver64MiBIsRefusedWithoutParsing() {
    let bytes = [UInt8](repeating: 0x20, count: MSALCache.fileLimit + 1)
    #expect(refusal(bytes) == .tooLarge(limit: 64 << 20))
  }

  @Test func aSecretOver1MiBIsRefused() {
    let most = String(repeating: "x", count: MSALCache.secretLimit)
    let fields = #""secret":"#
    #expect(refusal(access(fields + "\"\(most)\"")) == nil)
    #expect(
      refusal(access(fields + "\"\(most)x\""))
        == .secretTooLarge(member: .accessToken, index: 0, limit: 1 << 20))
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("[1,]", 3), (#"{"a":1,}"#, 7), ("{'a':1}", 1), ("nul", 0), ("NaN", 0),
    ("01", 1), ("1.", 2), ("-", 1), ("1e", 2), (#""a"#, 2), ("\"a\u{01}\"", 2), (#""\x""#, 2),
    (#""\ud800""#, 2), (#""\ud800\u0041""#, 2), (#""\udc00""#, 2), (#""\u12g4""#, 5),
    (#"{"a" 1}"#, 5), ("{} {}", 3), ("true false", 5), ("\u{FEFF}\u{FEFF}{}", 3),
  ])
  func malformedJSONIsRefusedWithTheOffsetOfTheError(text: String, offset: Int) {
    #expect(refusal(text) == .notJSON(at: offset))
  }

  @Test func everyTruncationOfACacheIsRefused() {
    let bytes = Array(MSALCacheFixtures.go.utf8)
    for length in stride(from: 0, to: bytes.count, by: 7) {
      #expect(refusal(Array(bytes[..<length])) != nil)
    }
  }

  @Test func invalidUTF8IsRefused() {
    for bad: [UInt8] in [
      [0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80],
    ] {
      let bytes = Array(#"{"AccessToken":{},"x":""#.utf8) + bad + Array(#""}"#.utf8)
      #expect(refusal(bytes) == .notJSON(at: 22))
    }
  }

  @Test func deepNestingIsRefusedWithoutExhaustingTheStack() {
    let limit = JSONValue.depthLimit
    #expect(refusal(String(repeating: "[", count: 1_000_000)) == .tooDeep(limit: limit))
    #expect(refusal(String(repeating: #"{"a":"#, count: 1_000_000)) == .tooDeep(limit: limit))
  }

  @Test func tooManyValuesAreRefusedBeforeMemoryIsExhausted() {
    let text = "[" + String(repeating: "0,", count: JSONValue.countLimit)
    #expect(refusal(text) == .tooMany(limit: JSONValue.countLimit))
  }

  @Test(arguments: ["[]", "null", "1", #""AccessToken""#, #"{"a":1}"#, #"{"accesstoken":{}}"#])
  func jsonThatIsNotACacheIsRefused(text: String) {
    #expect(refusal(text) == .notACache)
  }

  @Test func aKnownMemberThatIsNotAnObjectIsRefusedByName() {
    #expect(refusal(#"{"Account":[]}"#) == .badMember(.account))
    #expect(refusal(#"{"AccessToken":"x"}"#) == .badMember(.accessToken))
  }

  @Test func errorsContainNoValuesOfTheFile() throws {
    let secret = "fake-secret-value"
    for text in [
      #"{"AccessToken":"\#(secret)"}"#, #"{"AccessToken":"\#(secret)"#, #"{"\#(secret)":{}}"#,
    ] {
      let error = try #require(refusal(text))
      #expect(!String(reflecting: error).contains(secret))
    }
  }
}
