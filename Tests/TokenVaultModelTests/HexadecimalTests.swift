import Testing
import TokenVaultModel

@Suite(.timeLimit(.minutes(1))) struct HexadecimalTests {
  @Test func everyByteIsTwoDigitsAndReadBackInEitherCase() {
    let bytes = (0...255).map { UInt8($0) }
    let text = Hexadecimal.encode(bytes)
    #expect(text.hasPrefix("000102") && text.hasSuffix("fdfeff") && text.count == 512)
    #expect(Hexadecimal.decode(text.utf8) == bytes)
    #expect(Hexadecimal.decode(text.uppercased().utf8) == bytes)
    #expect(Hexadecimal.decode("".utf8) == [])
  }

  @Test(arguments: ["0", "0g", "0x00", " 00", "0-", "\u{10}\u{11}", "é0"])
  func textWithAnythingElseIsRefused(text: String) {
    #expect(Hexadecimal.decode(text.utf8) == nil)
  }

  @Test func onlySixteenCharactersInEitherCaseAreDigits() {
    let digits = (0...255).compactMap { Hexadecimal.value(of: UInt8($0)) }
    #expect(digits.count == 22)
    #expect((0..<16).allSatisfy { Hexadecimal.value(of: Hexadecimal.digit($0)) == $0 })
  }
}
