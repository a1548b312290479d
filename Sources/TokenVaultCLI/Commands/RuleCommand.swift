import ArgumentParser
import TokenVault
import TokenVaultModel

struct RuleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rule", abstract: "List and remove the rules of directories.",
    discussion: """
      A rule gives a directory and everything below it a group and an account. `tokenvault switch \
      --here ACCOUNT` makes one.

      EXAMPLES
        tokenvault rule list
        tokenvault rule remove --missing
      """,
    subcommands: [RuleListCommand.self, RuleRemoveCommand.self])
}

struct RuleListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the rules.",
    discussion: """
      The state of a rule is ok, missing (its directory no longer exists; it may have been moved) or \
      signed out (its account is no longer in the group). A rule of a group that cannot be opened \
      has no account.

      EXAMPLES
        tokenvault rule list
      """,
    aliases: ["ls"])

  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var quiet = invocation
    quiet.options.mayAsk = false
    let rules = try quiet.directoryRules()
    let found = try rules.all().map { try DirectoryRuleState($0, rules, in: quiet) }
    if global.json { return try invocation.answerJSON { $0.array(found) { $1.write(to: &$0) } } }
    guard !found.isEmpty else {
      return invocation.tell("There are no rules.\nnext: tokenvault switch --here ACCOUNT")
    }
    try invocation.answer(
      layout.shown(
        TextTable([["DIRECTORY", "ACCOUNT", "STATE", "GROUP"]] + found.map(\.row)).text()))
  }
}

struct RuleRemoveCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove rules.",
    discussion: """
      EXAMPLES
        tokenvault rule remove ~/src/contoso
        tokenvault rule remove --missing
      """)

  @Argument(help: "The directories, which need not exist.", completion: .directory)
  var directories: [String] = []
  @Flag(help: "Remove each rule whose directory no longer exists or whose account is signed out.")
  var missing = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if directories.isEmpty, !missing {
      throw ValidationError("Name a directory, or use --missing.")
    }
  }

  func run(in invocation: Invocation) throws {
    let rules = try invocation.directoryRules()
    var paths = try directories.map { PathText.normal(try invocation.absolute($0)) }
    for (path, text) in zip(paths, directories) {
      guard try rules.all().contains(where: { $0.path == path }) else {
        throw CommandError.noDirectoryRule(text)
      }
    }
    if missing {
      var quiet = invocation
      quiet.options.mayAsk = false
      paths += try rules.all().filter { rule in
        let state = try DirectoryRuleState(rule, rules, in: quiet)
        return !state.directoryExists || state.isSignedOut
      }.map(\.path)
    }
    let removed = try paths.filter { try rules.remove(directory: $0) }
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object { $0.field("removed", removed) }
      }
    }
    guard !removed.isEmpty else { return invocation.tell("No rule was removed.") }
    try invocation.answer(
      Array(removed.map { "Removed the rule for \(PlainText.escaped($0)).\n" }.joined().utf8))
  }
}
