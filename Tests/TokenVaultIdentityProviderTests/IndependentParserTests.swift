import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultIdentityProvider
import TokenVaultModel
import TokenVaultSignIn

/// The provider's parsers and writers against the client's. They share no code, so that an error in
/// one of them shows as a difference.
@Suite(.timeLimit(.minutes(5))) struct IndependentParserTests {
  private static let texts =
    [
      "", "plain", "\"quoted\"", "back\\slash", "https://a.example/path?a=b&c=d#e", "100 %", "a+b",
      "a b", "é", "e\u{301}", "\u{2028}\u{2029}", "\u{1f9ee}\u{1f469}\u{200d}\u{1f52c}",
      "\u{feff}mark", "\u{ffff}\u{10ffff}", "</script>", "[]{}|^`<>",
    ] + (UInt8(0)...0x20).map { "a\(UnicodeScalar($0))b" } + ["a\u{7f}b", "a\u{80}b"]

  private static let integers = [0, 1, -1, 3600, .max, .min]
  private static let numbers: [Double] = [
    0.5, -0.25, 0.1, 1e21, 1e-7, 1.5e300, .leastNonzeroMagnitude, .greatestFiniteMagnitude,
    -.leastNormalMagnitude, 1_800_000_000.125,
  ]

  /// Strings are equal only if their bytes are: "é" and "e" with an accent are not.
  private static func expectEqual(_ left: String?, _ right: String) {
    #expect(left.map { Array($0.utf8) } == Array(right.utf8))
  }

  @Test func theClientReadsTheTextsThatTheProviderWrites() throws {
    for text in Self.texts {
      let bytes = JSON.object([text: .string(text)]).bytes
      let member = try JSONValue(parsing: bytes).members?.first
      Self.expectEqual(member?.name, text)
      Self.expectEqual(member?.value.text, text)
    }
  }

  @Test func theProviderReadsTheTextsThatTheClientWrites() throws {
    for text in Self.texts {
      let bytes = JSONValue.object([.init(text, .string(text))]).bytes
      let member = try JSON(parsing: bytes).members?.first
      Self.expectEqual(member?.key, text)
      Self.expectEqual(member?.value.text, text)
    }
  }

  @Test func theClientReadsTheNumbersThatTheProviderWrites() throws {
    for integer in Self.integers {
      let value = try JSONValue(parsing: JSON.integer(integer).bytes)
      #expect(value == .number(String(integer)))
    }
    for number in Self.numbers {
      guard case .number(let literal) = try JSONValue(parsing: JSON.number(number).bytes) else {
        Issue.record("not read: \(number)")
        continue
      }
      #expect(Double(literal) == number)
    }
  }

  @Test func bothReadTheSameValuesFromEscapesAndUnusualNumbers() throws {
    let text = #"""
       { "\u0061\/\u00e9\ud83e\uddee\b\f\n\r\t\"\\" : [ null, true, false, {"a": null}, [], {} ],
        "numbers": [-0.0, 1E2, 1e+2, 100e-2, 9223372036854775808, 0.00000000000000000001] }
      """#
    let name = "a/é🧮\u{8}\u{c}\n\r\t\"\\"
    let numbers: [Double?] = [-0.0, 100, 100, 1, 9_223_372_036_854_775_808, 1e-20]
    let own = try JSON(parsing: Array(text.utf8))
    let client = try JSONValue(parsing: Array(text.utf8))
    #expect(own[name] == [.null, true, false, ["a": .null], [], [:]])
    #expect(
      client[name]
        == .array([
          .null, .bool(true), .bool(false), .object([.init("a", .null)]), .array([]), .object([]),
        ]))
    #expect(own["numbers"]?.elements?.map(\.number) == numbers)
    #expect(
      client["numbers"]?.elements?.map {
        if case .number(let literal) = $0 { Double(literal) } else { nil }
      } == numbers)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\":1,}", "01", "1.", ".5", "+1", "nul", "'a'", "\"\\x\"", "\"\\ud800\"",
    "\"a\nb\"", "{a:1}", "1 2", "NaN", "\"\u{1}\"",
  ])
  func bothRefuseTextsThatAreNotJSON(_ text: String) {
    #expect(throws: (any Error).self) { try JSON(parsing: Array(text.utf8)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array(text.utf8)) }
  }

  @Test func eachReadsTheFormsThatTheOtherWrites() throws {
    let texts = Self.texts.filter { !$0.isEmpty }
    var (own, client) = (FormFields(), FormParameters())
    for text in texts {
      own.append(text, text)
      client.append(text, text)
    }
    let read = try #require(FormParameters(encoded: own.encoded))
    let readBack = try #require(FormFields(encoded: client.encoded))
    for pairs in [read.pairs, readBack.pairs] {
      #expect(pairs.count == texts.count)
      for (pair, text) in zip(pairs, texts) {
        Self.expectEqual(pair.name, text)
        Self.expectEqual(pair.value, text)
      }
    }
  }

  @Test func bothReadAPlusSignInAFormAsASpace() throws {
    #expect(FormFields(encoded: "a+b=c+d%2Be")?["a b"] == "c d+e")
    #expect(FormParameters(encoded: "a+b=c+d%2Be")?["a b"] == "c d+e")
  }

  @Test(arguments: ["a=%", "a=%4", "a=%zz", "%g0=a", "a=%ff", "a=%c3", "a=%ed%a0%80"])
  func bothRefuseFormsWithABadPercentEncoding(_ text: String) {
    #expect(FormFields(encoded: text) == nil)
    #expect(FormParameters(encoded: text) == nil)
  }

  @Test func eachReadsTheBase64URLThatTheOtherWrites() throws {
    for count in 0...67 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 251 &+ count) }
      let text = Data(bytes).base64URL
      #expect(Base64URL.encode(bytes) == text)
      #expect(Base64URL.decode(text) == bytes)
      #expect(Data(base64URL: text) == Data(bytes))
    }
    #expect(Data([0xfb, 0xff, 0xfe]).base64URL == "-__-")
  }

  @Test(arguments: ["A", "AA==", "AAA=", "+/+/", "AB", "AAB", "A A", "AAAA\n", "é", "AAAAA", "*"])
  func bothRefuseTextsThatAreNotBase64URL(_ text: String) {
    #expect(Data(base64URL: text) == nil)
    #expect(Base64URL.decode(text) == nil)
  }
}
