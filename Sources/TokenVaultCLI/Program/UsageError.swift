import ArgumentParser

/// Arguments that do not form a command.
struct UsageError {
  private let error: any Error
  private let arguments: [String]
  private let words: CommandWords

  init(_ error: any Error, _ arguments: [String]) {
    self.error = error
    self.arguments = arguments
    words = CommandWords(arguments)
  }

  /// Writes the error to standard error.
  func tell() -> ExitStatus {
    // The arguments were not parsed, so the option is looked for.
    let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
    let failure = unknownCommand() ?? Failure(usage: message)
    Invocation.tell(failure.withHelp(of: words.text), asJSON: isJSON)
    return .usage
  }

  /// The text repeats the arguments, which may contain anything.
  private var message: String {
    let text = PlainText.escapedLines(TokenVaultCommand.message(for: error))
    let isSentence = text.last.map { ".?!:".contains($0) } ?? true
    return isSentence || text.contains("\n") ? text : text + "."
  }

  /// A word in the place of a command that is none.
  private func unknownCommand() -> Failure? {
    guard let word = words.unknown else { return nil }
    let known = words.command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
    let meant =
      Spelling.nearest(to: word, in: known.map { $0.name })
      ?? Spelling.nearest(to: word, in: known.flatMap { $0.configuration.aliases })
    let text = (words.names + [PlainText.escaped(word)]).joined(separator: " ")
    let suggestion =
      meant.map { " Did you mean \((words.names + [$0]).joined(separator: " "))?" } ?? ""
    return Failure(usage: "There is no command \(text).\(suggestion)", code: "unknownCommand")
  }
}
