import Testing

@testable import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct PlainRunTests {
  /// Each byte value at each place of a word, with bytes around it that could hide it.
  @Test(arguments: [UInt8(0x20), 0x21, 0x23, 0x61, 0x7f, 0x80, 0xff])
  func aRunEndsAtTheFirstByteThatNeedsAttention(filler: UInt8) {
    var wrong: [(UInt8, Int, Int)] = []
    for value in UInt8.min...UInt8.max {
      for place in [0, 1, 6, 7, 8, 9, 15, 16, 19] {
        var bytes = [UInt8](repeating: filler, count: 23)
        bytes[place] = value
        bytes[22] = UInt8(ascii: "\"")
        let isPlain = value >= 0x20 && value != 0x22 && value != 0x5c
        for start in 0...place
        where PlainRun.end(in: bytes, from: start) != (isPlain ? 22 : place) {
          wrong.append((value, place, start))
        }
      }
    }
    #expect(wrong.isEmpty)
    #expect(PlainRun.end(in: [filler], from: 0) == 1)
    #expect(PlainRun.end(in: [], from: 0) == 0)
  }

  @Test func longTextsAndEscapesAreReadAsTheyAre() throws {
    let long = String(repeating: "token.", count: 100)
    for text in ["\(long)é", "\(long)\"\(long)", "\(long)\\", "", "é", "\u{1}\(long)"] {
      let json = JSONValue.string(text).bytes
      #expect(try JSONValue(parsing: json).text == text)
    }
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array("\"\(long)\u{1}\"".utf8)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array("\"\(long)".utf8)) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: [0x22, 0x61, 0xff, 0x22]) }
  }
}
