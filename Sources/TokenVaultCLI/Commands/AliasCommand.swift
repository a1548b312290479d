import ArgumentParser
import TokenVault
import TokenVaultModel

struct AliasCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias", abstract: "Give an account a short name.",
    discussion: """
      EXAMPLES
        tokenvault alias ada@contoso.example work
        tokenvault alias work --remove
      """)

  @Argument(
    help: ArgumentHelp(AccountOption.forms),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String
  @Argument(help: "The short name. Without a name, the current alias is printed.")
  var name: String?
  @Flag(help: "Remove the alias.")
  var remove = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if remove, name != nil { throw ValidationError("--remove takes no name.") }
  }

  func run(in invocation: Invocation) throws {
    let vault = try invocation.selectedVault()
    if let name, name.isEmpty { throw VaultError.invalid(.alias) }
    let changed =
      remove || name != nil
      ? try AliasChange(vault).set(name ?? "", of: AccountReference(parsing: account))
      : try vault.account(AccountReference(parsing: account))
    if global.json { return try invocation.answerJSON { changed.write(to: &$0) } }
    let shown = PlainText.escaped(changed.shownName)
    if let alias = changed.alias {
      try invocation.answer("\(PlainText.escaped(alias)) is \(shown).")
    } else {
      try invocation.answer("\(shown) has no alias.")
    }
  }
}
