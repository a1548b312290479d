import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultSignIn

struct RuleTestCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "test", abstract: "Show which rules hold, and which one counts.",
    discussion: """
      `tokenvault which --for URL` also shows the credential that a tool would get.

      EXAMPLES
        tokenvault rule test
        tokenvault rule test https://github.com/contoso/app
        tokenvault rule test --audience https://graph.microsoft.com --directory ~/work
      """)

  @Argument(help: "The address that a credential is for.")
  var url: String?
  @Option(help: "Another directory than the working directory.", completion: .directory)
  var directory: String?
  @Option(help: ArgumentHelp("The resource that a token is for.", valueName: "url"))
  var audience: String?
  @Option(help: "The tenant that a token is requested for.")
  var tenant: String?
  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.mayAsk = false
    invocation.options.audiences = audience.map { [$0] } ?? []
    invocation.options.tenant = tenant
    invocation.options.address = try url.map { text in
      guard let address = HTTPURL(text.contains("://") ? text : "https://" + text) else {
        throw CommandError.badServiceURL(text)
      }
      return address
    }
    if let directory {
      invocation.workingDirectory = try invocation.resolved(directory)
    }
    let rules = try invocation.accountRules()
    let (found, denials) = try rules.matching(invocation.situation)
    let holding = try rules.all()
      .filter { rule in
        rule.isDenial
          ? denials.contains(rule) : rule.conditions.hold(in: invocation.situation)
      }
      .map { try AccountRuleState($0, rules, in: invocation) }
    if global.json {
      return try invocation.answerJSON { $0.array(holding) { $1.write(to: &$0) } }
    }
    guard !holding.isEmpty else {
      return invocation.tell("No rule holds here: the group's current account is used.")
    }
    let rows = holding.map { state in
      [state.rule == found || denials.contains(state.rule) ? "*" : ""] + state.row
    }
    try invocation.answer(layout.shown(TextTable([[""] + AccountRuleState.headings] + rows).text()))
  }
}
