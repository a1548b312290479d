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
  @OptionGroup var place: ServiceOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if remove, name != nil { throw ValidationError("--remove takes no name.") }
  }

  func run(in invocation: Invocation) throws {
    if let name, name.isEmpty { throw VaultError.invalid(.alias) }
    let (vault, reference) = try located(invocation)
    let former = remove ? try vault.account(reference).alias : nil
    let changed =
      remove || name != nil
      ? try AliasChange(vault).set(name ?? "", of: reference) : try vault.account(reference)
    if global.json { return try invocation.answerJSON { changed.write(to: &$0) } }
    let shown = PlainText.escaped(changed.shownName)
    if let former {
      try invocation.answer("Removed the alias \(PlainText.escaped(former)).")
    } else if let alias = changed.alias {
      try invocation.answer("\(PlainText.escaped(alias)) is \(shown).")
    } else {
      try invocation.answer("\(shown) has no alias.")
    }
  }

  private func located(_ invocation: Invocation) throws -> (GroupSession, AccountReference) {
    guard let service = place.service else {
      return (try invocation.selectedVault(), AccountReference(parsing: account))
    }
    let found = try invocation.secret(of: service, named: account)
    return (found.vault, found.selection.account)
  }
}
