import ArgumentParser

/// Arguments that do not form a command.
struct UsageError {
  private let error: any Error
  private let arguments: [String]

  init(_ error: any Error, _ arguments: [String]) {
    self.error = error
    self.arguments = arguments
  }

  /// Writes the error to standard error.
  func tell() -> ExitStatus {
    if let unknown = unknownCommand() {
      Invocation.tell(unknown, asJSON: isJSON)
    } else if isJSON {
      Invocation.tell(Failure(.usage, message, next: help), asJSON: true)
    } else {
      // The text repeats the arguments, which may contain anything.
      Invocation.tell(
        "tokenvault: " + PlainText.escapedLines(TokenVaultCommand.fullMessage(for: error)))
    }
    return .usage
  }

  /// The arguments were not parsed, so the option is looked for.
  private var isJSON: Bool { arguments.prefix { $0 != "--" }.contains("--json") }

  private var message: String {
    PlainText.escapedLines(TokenVaultCommand.message(for: error))
  }

  private var help: String { (["tokenvault"] + path.names + ["--help"]).joined(separator: " ") }

  /// A word in the place of a command that is none.
  private func unknownCommand() -> Failure? {
    let (names, command, word) = path
    guard let word else { return nil }
    let known = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let meant =
      Spelling.nearest(to: word, in: known.map { $0.name })
      ?? Spelling.nearest(to: word, in: known.flatMap { $0.configuration.aliases })
    let text = (names + [PlainText.escaped(word)]).joined(separator: " ")
    let suggestion = meant.map { " Did you mean \((names + [$0]).joined(separator: " "))?" } ?? ""
    return Failure(
      .usage, "There is no command \(text).\(suggestion)", next: help, code: "unknownCommand")
  }

  /// The commands that the arguments name, the last of them, and the word after it if it is in the
  /// place of a subcommand.
  private var path: (names: [String], command: any ParsableCommand.Type, word: String?) {
    var names: [String] = []
    var command: any ParsableCommand.Type = TokenVaultCommand.self
    var rest = arguments[...]
    while !command.configuration.subcommands.isEmpty, let word = rest.popFirst() {
      if Self.optionsWithValue.contains(word) {
        _ = rest.popFirst()
        continue
      }
      if word.hasPrefix("-") { continue }
      let next = command.configuration.subcommands.first {
        $0.name == word || $0.configuration.aliases.contains(word)
      }
      guard let next else { return (names, command, word) }
      names.append(next.name)
      command = next
    }
    return (names, command, nil)
  }

  /// The global options that take a value and may stand before the command.
  private static let optionsWithValue: Set = ["--group", "-g", "--vault-dir", "--passphrase-fd"]
}

extension ParsableCommand {
  fileprivate static var name: String { configuration.commandName ?? "" }
}
