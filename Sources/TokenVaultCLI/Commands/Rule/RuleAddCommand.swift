import ArgumentParser
import TokenVault
import TokenVaultModel

struct RuleAddCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a rule, in the place of the one with the same conditions.",
    discussion: """
      `tokenvault switch --here` adds a rule for the working directory.

      EXAMPLES
        tokenvault rule add ada@contoso.example --directory ~/work
        tokenvault rule add ada-contoso --remote github.com/contoso
        tokenvault rule add ada --host git.example.com --group dev.tokenvault.shared
        tokenvault rule add me@home.example --directory ~/work --deny
      """)

  @Argument(
    help: "The account.", completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String
  @OptionGroup(title: "Conditions") var place: RuleOptions
  @Flag(help: "Never use the account where the conditions hold.")
  var deny = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let conditions = try place.conditions(in: invocation)
    guard !conditions.isEmpty else { throw Failure.ruleWithoutCondition }
    if let directory = conditions.directory, !InputFile.exists(directory) {
      invocation.tell("Note: \(PlainText.escaped(directory)) does not exist yet.")
    }
    let vault = try invocation.selectedVault()
    let chosen = try CurrentAccountSelection(vault).setRule(
      for: AccountReference(parsing: account), where: conditions, isDenial: deny)
    if global.json { return try invocation.answerJSON { chosen.write(to: &$0) } }
    let name = PlainText.escaped(chosen.shownName)
    try invocation.answer("\(conditions.words): \(deny ? "never " : "")\(name)")
  }
}
