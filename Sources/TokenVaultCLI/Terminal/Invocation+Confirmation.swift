/// A question on the controlling terminal, wherever the standard streams go.
extension Invocation {
  /// Asks for confirmation of something that cannot be undone. Without a terminal, or with
  /// `--no-input`, it throws: the answer to a question that was not asked is no.
  func confirm(_ question: String) throws(CommandError) {
    guard options.mayAsk else { throw .confirmationNeeded(.noInput) }
    guard let terminal = RawTerminal() else { throw .confirmationNeeded(.noTerminal) }
    defer { terminal.restore() }
    terminal.write("\(question) [y/N] ")
    let answer = try Self.line(terminal).lowercased()
    terminal.write("\n")
    guard answer == "y" || answer == "yes" else { throw .declined }
  }

  /// A line that is shown while it is typed; Esc is an empty one.
  private static func line(_ terminal: RawTerminal) throws(CommandError) -> String {
    var typed = ""
    while true {
      switch try terminal.key() {
      case .enter: return typed
      case .escape: return ""
      case .character(let byte) where byte >= 0x20 && typed.utf8.count < 16:
        // No answer has other letters than ASCII, so their bytes are only counted.
        let letter = byte < 0x7f ? String(Unicode.Scalar(byte)) : "?"
        typed += letter
        terminal.write(letter)
      case .erase where !typed.isEmpty:
        typed.removeLast()
        terminal.write("\u{8} \u{8}")
      case .eraseLine:
        terminal.write(String(repeating: "\u{8} \u{8}", count: typed.count))
        typed = ""
      case .character, .erase, .up, .down, .none: break
      }
    }
  }
}
