import ArgumentParser
import TokenVault
import TokenVaultModel

struct CurrentCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "current", abstract: "Print the account that commands use here.",
    discussion: """
      This is the account of TOKENVAULT_ACCOUNT or of the directory's rule, else the group's current \
      account; standard error says which one it is unless it is the group's.

      With --client-id it reports the account as MSAL does for that client, and also the account \
      last returned to the client if another tool has changed it since.

      EXAMPLES
        tokenvault current
        tokenvault current --client-id 04b07795-8ddb-461a-bbee-02f9e1bf7b46 --json
      """)

  @Option(help: "The client to report the account for.")
  var clientId: String?
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if clientId?.isEmpty == true { throw ValidationError("--client-id is empty.") }
  }

  func run(in invocation: Invocation) throws {
    guard let clientId else {
      let selection = try invocation.select()
      invocation.explain(selection)
      let account: Account
      do { account = try invocation.vault(of: selection).account(selection.account) } catch {
        // The rule may be the reason why there is no account.
        if !global.json, selection.accountRule == .standard { invocation.tellOfMovedDirectory() }
        throw error
      }
      if !global.json { invocation.tellWhy(selection) }
      if global.json { return try invocation.answerJSON { account.write(to: &$0) } }
      return try invocation.answer(PlainText.escaped(account.shownName))
    }
    let vault = try invocation.selectedVault()
    let current = try CurrentAccountSelection(vault).current(client: clientId)
    if global.json { return try invocation.answerJSON { write(current, to: &$0) } }
    if let account = current.account {
      try invocation.answer(PlainText.escaped(account.shownName))
    } else {
      invocation.tell("No account is signed in for this client.")
    }
    if let previous = changed(current) { try invocation.answer("previous: \(previous)") }
  }

  /// The account last returned to the client, if it differs from the current one.
  private func changed(_ current: CurrentAccount) -> String? {
    switch current.previous {
    case nil: nil
    case .present(let account):
      account.identity == current.account?.identity ? nil : PlainText.escaped(account.shownName)
    case .left(_, let username, _): PlainText.escaped(username) + " (signed out)"
    case .erased: "an account that was signed out"
    }
  }

  private func write(_ current: CurrentAccount, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.key("account")
      if let account = current.account { account.write(to: &writer) } else { writer.null() }
      writer.key("previous")
      switch current.previous {
      case nil: writer.null()
      case .present(let account): account.write(to: &writer)
      case .left(let id, let username, let environment):
        writer.object {
          $0.field("identifier", id.identifier)
          $0.field("username", username)
          $0.field("environment", environment)
          $0.field("signedOut", true)
        }
      case .erased: writer.object { $0.field("signedOut", true) }
      }
    }
  }
}
