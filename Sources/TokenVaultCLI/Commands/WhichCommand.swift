import ArgumentParser
import TokenVault
import TokenVaultModel

struct WhichCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "which", abstract: "Show which account and group are used here, and why.",
    discussion: """
      EXAMPLES
        tokenvault which
        tokenvault which --service git.example.com
        TOKENVAULT_GROUP=dev.tokenvault.shared tokenvault which --json
      """)

  @OptionGroup var choice: AccountOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    choice.apply(to: &invocation)
    let (selection, vault) = try located(invocation)
    // The group is printed in any case: it may be the reason why there is no account.
    var account: Account?
    var failure: (any Error)?
    do { account = try vault.account(selection.account) } catch { failure = error }
    if global.json {
      try invocation.answerJSON { write(selection, account, vault, to: &$0) }
    } else {
      if let account {
        try invocation.answer(
          "account  \(PlainText.escaped(account.shownName))",
          "         \(selection.accountRule.reason(isAccount: true))")
      }
      try invocation.answer(
        "group    \(selection.group)", "         \(selection.groupRule.reason(isAccount: false))",
        "file     \(PlainText.escaped(vault.configuration.groupPath))")
    }
    if !global.json, selection.accountRule == .standard { invocation.tellOfMovedDirectory() }
    if let failure { throw failure }
  }

  /// A group without a file is shown, too.
  private func located(_ invocation: Invocation) throws -> Invocation.Located {
    guard invocation.options.service == nil else { return try invocation.selectedAccount() }
    let selection = try invocation.select()
    return (selection, try invocation.vault(of: selection))
  }

  private func write(
    _ selection: Selection, _ account: Account?, _ vault: GroupSession, to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.key("account")
      if let account { account.write(to: &writer) } else { writer.null() }
      writer.key("accountRule")
      selection.accountRule.write(to: &writer)
      writer.field("group", selection.group.description)
      writer.key("groupRule")
      selection.groupRule.write(to: &writer)
      writer.field("groupFile", vault.configuration.groupPath)
    }
  }
}
