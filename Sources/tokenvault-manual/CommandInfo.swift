/// A command as `tokenvault --experimental-dump-help` describes it, as far as the manual needs it.
struct CommandInfo: Decodable {
  struct Dump: Decodable {
    var command: CommandInfo
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var discussion: String?
    var defaultValue: String?
    var sectionTitle: String?
    var isOptional: Bool
    var isRepeating: Bool
    var shouldDisplay: Bool

    var isGlobal: Bool { sectionTitle == "Global options" }
    var isPositional: Bool { kind == "positional" }
    var isHelp: Bool { names?.contains { $0.name == "help" } ?? false }
  }

  var commandName: String
  var abstract: String?
  var discussion: String?
  var aliases: [String]?
  var arguments: [Argument]?
  var subcommands: [CommandInfo]?
  var shouldDisplay: Bool

  /// The arguments to document.
  var shown: [Argument] { (arguments ?? []).filter(\.shouldDisplay) }
  /// The subcommands to document.
  var children: [CommandInfo] {
    (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
  }
}
