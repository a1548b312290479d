import Testing
import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct JSONStringTests {
  @Test(arguments: [
    ("", #""""#), ("plain ä €", #""plain ä €""#), (#"a"b\c"#, #""a\"b\\c""#),
    ("\n\t\0", #""\u000a\u0009\u0000""#), ("\u{1b}[31m\u{7f}", #""\u001b[31m\u007f""#),
    ("a/b", #""a/b""#),
  ])
  func aTextIsEscapedAndReadBack(text: String, json: String) throws {
    var bytes: [UInt8] = []
    JSONString.append(text, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == json)
    #expect(try JSONValue(parsing: bytes).text == text)
  }

  @Test func aCodeUnitIsEscapedWithFourDigits() {
    var bytes: [UInt8] = []
    JSONString.appendEscape(of: 0x202e, to: &bytes)
    #expect(String(decoding: bytes, as: UTF8.self) == #"\u202e"#)
  }
}
