import ArgumentParser

struct StatusCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show on one screen what is in force, and what needs attention.",
    discussion: """
      Shows the group and the account that commands use here, and why; when the account's token \
      expires; where the key is kept, and whether the group is locked; and everything that needs \
      attention, such as a group without a recovery code, an account that has to sign in, a stored \
      secret that has expired, damage, or an imported file that still has tokens in plaintext.

      The command never asks for anything and unlocks nothing. Of a locked group it shows what is \
      known without the key. The exit status is 0 if the account can be used, otherwise that of a \
      command that tries: 4 if a sign-in or another secret is needed, 77 if the group is locked. \
      It is 65 if something in the group is damaged.

      EXAMPLES
        tokenvault status
        tokenvault status --group com.example.team --json
      """)

  @OptionGroup var choice: AccountOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.account = choice.account
    if let service = choice.place.service {
      let found = try invocation.secret(of: service, named: choice.account)
      invocation.options.group = found.selection.group.description
      invocation.options.account = try found.vault.account(found.selection.account).selector
    }
    let report = try StatusReport(invocation)
    if global.json {
      try invocation.answerJSON { report.write(to: &$0) }
    } else {
      try invocation.answer(report.text)
    }
    if report.status != .done { throw CommandError.diagnosis(report.status) }
  }
}
