import Testing

@testable import TokenVaultCLI

@Suite(.timeLimit(.minutes(1)))
struct UIKeyTests {
  private func keys(_ text: String) -> [Key] {
    var parser = KeyParser()
    return parser.take(Array(text.utf8))
  }

  @Test(arguments: [
    ("\u{1b}[A", Key.up), ("\u{1b}OB", .down), ("\u{1b}[1;5C", .right), ("\u{1b}[5~", .pageUp),
    ("\u{1b}[3~", .delete), ("\u{1b}[Z", .backTab), ("\r", .enter), ("\u{7f}", .erase),
    ("\u{3}", .interrupt), ("\u{1a}", .suspend), ("ß", .character("ß")), ("語", .character("語")),
  ])
  func theBytesOfAKeyAreOneKey(bytes: String, key: Key) { #expect(keys(bytes) == [key]) }

  @Test func aKeyMayArriveInPieces() {
    var parser = KeyParser()
    #expect(parser.take([0x1b]).isEmpty)
    #expect(parser.isWaiting)
    #expect(parser.take([0x5b]).isEmpty)
    #expect(parser.take([0x42, 0xe8]) == [.down])
    #expect(parser.take([0xaa, 0x9e]) == [.character("語")])
    #expect(!parser.isWaiting)
  }

  @Test func aSingleEscIsEscAfterAPause() {
    var parser = KeyParser()
    #expect(parser.take([0x1b]).isEmpty)
    #expect(parser.flush() == [.escape])
    #expect(parser.flush().isEmpty)
  }

  @Test func unknownSequencesAndInvalidUTF8AreNotLetters() {
    #expect(keys("\u{1b}[38;2;1;2;3mq") == [.character("q")])
    var parser = KeyParser()
    #expect(parser.take([0xff, 0xc3, 0x28, 0x71]) == [.character("("), .character("q")])
  }

  @Test func pastedTextIsNeverACommand() {
    #expect(
      keys("\u{1b}[200~o\ry\u{1b}[201~q") == [
        .pasted("o"), .pasted("\n"), .pasted("y"), .character("q"),
      ])
    var state = UIFixtures.state()
    let before = state.shown
    for key in keys("\u{1b}[200~oq\r\u{1b}[201~") { #expect(state.press(key).isEmpty) }
    #expect(state.shown == before)
  }

  @Test func textCanBeEditedAtAnyPosition() {
    var field = TextField("URL", "htt://x")
    for key in [Key.home, .right, .right, .right, .character("p"), .end, .erase, .character("ö")] {
      field.take(key)
    }
    #expect(field.text == "http://ö")
    field.take(.eraseLine)
    for scalar in "  a b ".unicodeScalars { field.take(.pasted(scalar)) }
    #expect(field.text == "a b")
    for scalar in "\nc\n".unicodeScalars { field.take(.pasted(scalar)) }
    #expect(field.text == "a b  c")
  }

  @Test func controlCharactersAreNotAccepted() {
    var field = TextField("URL", "")
    for scalar in ["\u{1b}", "\u{9b}", "\u{202e}", "a"] as [Unicode.Scalar] {
      field.take(.pasted(scalar))
    }
    #expect(field.text == "a")
  }

  @Test func aLongTextShowsThePartAroundTheCursor() {
    var field = TextField("URL", "0123456789")
    #expect(field.window(5).text == "6789")
    #expect(field.window(5).cursor == 4)
    field.take(.home)
    #expect(field.window(5).text == "01234")
    #expect(field.window(5).cursor == 0)
    #expect(TextField("", "語語語").window(5).text == "語語")
  }

  @Test func linesAreWrappedAtSpacesByColumns() {
    #expect(PlainText.wrapped("one two three", to: 8) == ["one two", "three"])
    #expect(PlainText.wrapped("abcdefghij", to: 4) == ["abcd", "efgh", "ij"])
    #expect(PlainText.wrapped("語語語", to: 4) == ["語語", "語"])
    #expect(PlainText.wrapped("    abcdefgh", to: 8) == ["    abcd", "efgh"])
    #expect(PlainText.wrapped("", to: 8) == [""])
  }
}
