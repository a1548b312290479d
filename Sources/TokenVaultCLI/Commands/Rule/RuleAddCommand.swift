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
    let chosen = try set(conditions, in: invocation)
    if global.json { return try invocation.answerJSON { chosen.write(to: &$0) } }
    let name = PlainText.escaped(chosen.shownName)
    try invocation.answer("\(conditions.words): \(deny ? "never " : "")\(name)")
  }

  /// The account is one of the group in force or, unless a group is named, of the group for secrets of
  /// services.
  private func set(_ conditions: RuleConditions, in invocation: Invocation) throws -> Account {
    let vault = try invocation.selectedVault()
    do { return try set(conditions, in: vault) } catch let error {
      guard let group = try invocation.secondGroup(after: vault.group), error.isAboutAbsence else {
        throw error
      }
      let second = GroupSession(try invocation.configuration(group))
      do { return try set(conditions, in: second) } catch let other {
        if case .noGroup = error { throw other.isNoGroup ? error : other }
        throw other.isAboutAbsence ? error : other
      }
    }
  }

  private func set(
    _ conditions: RuleConditions, in vault: GroupSession
  ) throws(VaultError) -> Account {
    try CurrentAccountSelection(vault).setRule(
      for: AccountReference(parsing: account), where: conditions, isDenial: deny)
  }
}

extension VaultError {
  fileprivate var isNoGroup: Bool { if case .noGroup = self { true } else { false } }

  fileprivate var isAboutAbsence: Bool {
    if case .noAccount = self { true } else { isNoGroup }
  }
}
