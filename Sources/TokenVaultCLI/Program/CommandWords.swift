import ArgumentParser

/// The words of the arguments that name a command.
struct CommandWords {
  /// The commands that the arguments name, each below the one before.
  let names: [String]
  /// The last of them.
  let command: any ParsableCommand.Type
  /// The word after them if it is in the place of a subcommand and is none.
  let unknown: String?

  init(_ arguments: [String]) {
    var names: [String] = []
    var command: any ParsableCommand.Type = TokenVaultCommand.self
    var unknown: String?
    var rest = arguments[...]
    while unknown == nil, !command.configuration.subcommands.isEmpty, let word = rest.popFirst() {
      if Self.optionsWithValue.contains(word) {
        _ = rest.popFirst()
        continue
      }
      if word.hasPrefix("-") || names.isEmpty && word == "help" { continue }
      let next = command.configuration.subcommands.first {
        $0.name == word || $0.configuration.aliases.contains(word)
      }
      if let next {
        names.append(next.name)
        command = next
      } else {
        unknown = word
      }
    }
    self.names = names
    self.command = command
    self.unknown = unknown
  }

  /// The names as the user writes them.
  var text: String { names.joined(separator: " ") }

  /// Whether the arguments ask for help.
  static func askForHelp(_ arguments: [String]) -> Bool {
    arguments.prefix { $0 != "--" }.contains { ["--help", "-h", "help"].contains($0) }
  }

  /// The global options that take a value and may stand before the command.
  private static let optionsWithValue: Set = ["--group", "-g", "--vault-dir", "--passphrase-fd"]
}

extension ParsableCommand {
  static var name: String { configuration.commandName ?? "" }
}
