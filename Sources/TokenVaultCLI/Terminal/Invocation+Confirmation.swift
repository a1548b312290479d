import Glibc

extension Invocation {
  /// Asks for confirmation of something that cannot be undone. Without a terminal the command goes
  /// on without a question; with `--no-input` it needs `--yes`.
  func confirm(_ question: String, isAnswered: Bool) throws(CommandError) {
    if isAnswered { return }
    guard options.mayAsk else { throw .confirmationNeeded }
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
    guard let terminal = RawTerminal() else { return }
    defer { terminal.restore() }
    terminal.write("\(question) [y/N] ")
    while true {
      switch try terminal.key() {
      case .character(UInt8(ascii: "y")), .character(UInt8(ascii: "Y")):
        terminal.write("yes\n")
        return
      case .none, .up, .down: continue
      case .character, .enter, .erase, .eraseLine, .escape:
        terminal.write("no\n")
        throw .declined
      }
    }
  }
}
