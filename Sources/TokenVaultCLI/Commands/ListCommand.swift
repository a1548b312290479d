import ArgumentParser
import Glibc
import TokenVaultSystem
import TokenVault
import TokenVaultModel

struct ListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts of the group.",
    discussion: """
      A star marks the current account. If the list is empty, standard error has the reason.

      EXAMPLES
        tokenvault list
        tokenvault list --all-groups --json
        tokenvault list --environment login.microsoftonline.com --signed-out
      """,
    aliases: ["ls"])

  @OptionGroup var filters: FilterOptions
  @Flag(help: "List the accounts of every group on this machine.")
  var allGroups = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let query = AccountQuery(filters)
    guard allGroups else {
      let selection = try invocation.select(needsAccount: false)
      invocation.explain(selection)
      let listing = try AccountEnumeration(invocation.vault(of: selection)).accounts(query)
      guard !listing.accounts.isEmpty || invocation.knows(selection.group) else {
        throw CommandError.unknownGroup(selection.group)
      }
      try show(listing.accounts, in: invocation)
      if let reason = listing.emptyReason {
        invocation.tell(
          "\(Failure.sentence(reason))\nnext: \(Failure.next(reason, selection.group))")
      }
      try requireWhole(listing, selection.group)
      return
    }
    var accounts: [Account] = []
    var worst: ExitStatus?
    for group in try invocation.groupsOnDisk() {
      do {
        let listing = try AccountEnumeration(GroupSession(invocation.configuration(group)))
          .accounts(query)
        accounts += listing.accounts
        try requireWhole(listing, group)
      } catch {
        let failure = Failure(error).of(group)
        Invocation.tell(failure)
        worst = worst ?? failure.status
      }
    }
    try show(accounts, in: invocation)
    if let worst { throw CommandError.groupsFailed(worst) }
    if accounts.isEmpty { invocation.tell("No group on this machine has a matching account.") }
  }

  private func requireWhole(_ listing: AccountListing, _ group: GroupName) throws {
    guard listing.damagedRows == 0 else {
      throw CommandError.rowsDamaged(listing.damagedRows, group: group)
    }
  }

  private func show(_ accounts: [Account], in invocation: Invocation) throws {
    if global.json {
      try invocation.answerJSON { $0.array(accounts) { $1.write(to: &$0) } }
    } else if !accounts.isEmpty {
      let columns =
        invocation.answersToTerminal ? SystemCalls.windowSize(STDOUT_FILENO)?.columns : nil
      let table = AccountTable(accounts, now: invocation.now, showsGroup: allGroups)
      try invocation.answer(table.text(columns: columns, colour: invocation.hasColour))
    }
  }
}
