import ArgumentParser
import TokenVault
import TokenVaultModel

struct RuleRemoveCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove rules.",
    discussion: """
      The conditions are those of the rule, all of them.

      EXAMPLES
        tokenvault rule remove ~/src/contoso
        tokenvault rule remove --remote github.com/contoso
        tokenvault rule remove ~/work --deny
        tokenvault rule remove --missing
      """)

  @Argument(help: "The directories, which need not exist.", completion: .directory)
  var directories: [String] = []
  @OptionGroup(title: "Conditions") var place: RuleOptions
  @Flag(help: "Remove the rules that forbid an account, and not the one that selects an account.")
  var deny = false
  @Flag(help: "Remove each rule whose directory no longer exists or whose account is signed out.")
  var missing = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    let named = [place.directory, place.remote, place.host, place.audience, place.tenant]
    if directories.isEmpty, !missing, named.allSatisfy({ $0 == nil }) {
      throw ValidationError("Name a directory or another condition, or use --missing.")
    }
  }

  func run(in invocation: Invocation) throws {
    let rules = try invocation.accountRules()
    let all = try rules.all()
    func found(_ conditions: RuleConditions) -> [AccountRule] {
      all.filter { $0.conditions == conditions && $0.isDenial == deny }
    }
    var chosen: [AccountRule] = []
    for text in directories {
      var conditions = RuleConditions()
      // The directory may be gone, and a link to another place meanwhile.
      conditions.directory = PathText.normal(try invocation.absolute(text))
      if found(conditions).isEmpty { conditions.directory = try invocation.resolved(text) }
      guard !found(conditions).isEmpty else { throw CommandError.noDirectoryRule(text) }
      chosen += found(conditions)
    }
    let named = try place.conditions(in: invocation)
    if !named.isEmpty {
      guard !found(named).isEmpty else { throw Failure.noRule(named) }
      chosen += found(named)
    }
    if missing {
      var quiet = invocation
      quiet.options.mayAsk = false
      chosen += try all.filter { rule in
        let state = try AccountRuleState(rule, rules, in: quiet)
        return !state.directoryExists || state.isSignedOut
      }
    }
    let removed = try chosen.filter { try rules.remove($0) }
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object { $0.field("removed", removed.map(\.conditions.description)) }
      }
    }
    guard !removed.isEmpty else { return invocation.tell("No rule was removed.") }
    try invocation.answer(
      Array(removed.map { "Removed the rule for \($0.conditions.words).\n" }.joined().utf8))
  }
}
