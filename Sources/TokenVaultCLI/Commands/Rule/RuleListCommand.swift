import ArgumentParser
import TokenVaultModel

struct RuleListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the rules.",
    discussion: """
      The state of a rule is ok, missing (its directory no longer exists; it may have been moved) or \
      signed out (its account is no longer in the group). If the group of a rule cannot be opened, \
      no account is shown.

      EXAMPLES
        tokenvault rule list
      """,
    aliases: ["ls"])

  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var quiet = invocation
    quiet.options.mayAsk = false
    let rules = try quiet.accountRules()
    let found = try rules.all().map { try AccountRuleState($0, rules, in: quiet) }
    if global.json { return try invocation.answerJSON { $0.array(found) { $1.write(to: &$0) } } }
    guard !found.isEmpty else {
      return invocation.tell(
        "There are no rules.\nnext: tokenvault rule add ACCOUNT --directory DIRECTORY")
    }
    try invocation.answer(
      layout.shown(TextTable([AccountRuleState.headings] + found.map(\.row)).text()))
  }
}
