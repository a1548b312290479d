import ArgumentParser
import TokenVault
import TokenVaultModel

struct SwitchCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "switch", abstract: "Choose the account to use.",
    discussion: """
      Without an account, a list appears on the terminal: arrow keys or j and k move, typing \
      filters, Enter chooses, Esc changes nothing. The account `-` is the one that was the current \
      account of the group before.

      EXAMPLES
        tokenvault switch
        tokenvault switch ada@contoso.example
        tokenvault switch -
        cd ~/src/contoso && tokenvault switch --here work
        tokenvault switch --here --service git.example.com
        tokenvault switch --here --forget
      """)

  @Argument(
    help: ArgumentHelp("\(AccountOption.forms) Or -, for the previous account."),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String?
  @Flag(help: "Only for this directory and the directories below it.")
  var here = false
  @Flag(help: "With --here: remove the rule for this directory.")
  var forget = false
  @OptionGroup var place: ServiceOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if forget, !here { throw ValidationError("--forget needs --here.") }
    if forget, account != nil || place.service != nil {
      throw ValidationError("--forget takes no account.")
    }
  }

  func run(in invocation: Invocation) throws {
    if forget { return try removeRule(invocation) }
    let (vault, reference) = try located(invocation)
    let chosen: Account
    if here {
      chosen = try CurrentAccountSelection(vault)
        .select(reference, in: invocation.requireDirectory())
    } else {
      chosen = try CurrentAccountSelection(vault).select(reference)
    }
    if global.json {
      try invocation.answerJSON { chosen.write(to: &$0) }
    } else {
      let group = place.service == nil ? "" : " of \(vault.group)"
      let scope = here ? " for this directory" : group
      try invocation.answer("Current account\(scope): \(PlainText.escaped(chosen.shownName))")
    }
  }

  private func located(_ invocation: Invocation) throws -> (GroupSession, AccountReference) {
    if let service = place.service {
      let found = try invocation.secret(of: service, named: account)
      return (found.vault, found.selection.account)
    }
    let vault = try invocation.selectedVault()
    return (vault, try reference(vault, in: invocation))
  }

  private func reference(
    _ vault: GroupSession, in invocation: Invocation
  ) throws -> AccountReference {
    guard let account else { return .known(try pick(vault, in: invocation)) }
    guard account == "-" else { return AccountReference(parsing: account) }
    guard let previous = try CurrentAccountSelection(vault).previous() else {
      throw Failure(
        .notFound, "No other account was the current one of the group \(vault.group) before.",
        next: Failure.command("list", vault.group), code: "noPreviousAccount")
    }
    return .known(previous)
  }

  private func pick(_ vault: GroupSession, in invocation: Invocation) throws -> Account {
    guard invocation.options.mayAsk, invocation.answersToTerminal else {
      throw CommandError.pickerNeedsTerminal
    }
    let listing = try AccountEnumeration(vault).accounts(.all)
    if let reason = listing.emptyReason {
      throw VaultError.noCurrentAccount(reason, group: vault.group)
    }
    guard let terminal = RawTerminal() else { throw CommandError.pickerNeedsTerminal }
    return try AccountPicker(listing.accounts, now: invocation.now).choose(on: terminal)
  }

  private func removeRule(_ invocation: Invocation) throws {
    let directory = try invocation.requireDirectory()
    let vaultDirectory = try invocation.configuration(.universalStorage).directory
    guard try AccountRules(vaultDirectory: vaultDirectory).remove(directory: directory) else {
      throw CommandError.noDirectoryRule(directory)
    }
    if global.json {
      try invocation.answerJSON { $0.object { $0.field("forgotten", directory) } }
    } else {
      try invocation.answer("Removed the rule for this directory.")
    }
  }
}
