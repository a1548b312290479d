import ArgumentParser
import Glibc
import TokenVaultSystem
import TokenVault
import TokenVaultModel

struct ListCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the accounts of the group.",
    discussion: """
      A star marks the account that commands use here: that of TOKENVAULT_ACCOUNT or of the \
      directory's rule, else the group's current account. In JSON, `current` is the group's. If the list is empty, standard error has the reason.

      EXAMPLES
        tokenvault list
        tokenvault list --all-groups --json
        tokenvault list --no-header | wc -l
        tokenvault list --environment login.microsoftonline.com --signed-out
        tokenvault list --watch
      """,
    aliases: ["ls"])

  @OptionGroup var filters: FilterOptions
  @Flag(help: "List the accounts of every group on this machine.")
  var allGroups = false
  @Flag(
    help: """
      Show the list again whenever it changes, until q or Ctrl-C. With --json, print one line for \
      each change.
      """)
  var watch = false
  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    if watch { return try ListWatch(self, invocation).run() }
    let query = AccountQuery(filters)
    guard allGroups else {
      let selection = try selection(invocation)
      invocation.explain(selection)
      let vault = try invocation.vault(of: selection)
      let listing = try AccountEnumeration(vault).accounts(query)
      guard !listing.accounts.isEmpty || invocation.knows(selection.group) else {
        throw CommandError.unknownGroup(selection.group)
      }
      let chosen = global.json ? nil : invocation.chosenAccount(selection, in: vault)
      try show(listing.accounts, chosen, in: invocation)
      if let chosen, listing.accounts.contains(where: { $0.identity == chosen.identity }) {
        invocation.tell("* is \(selection.accountRule.reason(isAccount: true)).")
      }
      if let reason = listing.emptyReason {
        let text =
          filters.clientId.flatMap { reason == .noneForClient ? Failure.noTokens(of: $0) : nil }
          ?? Failure.sentence(reason)
        invocation.tell(
          text + Failure.ending(Failure.next(reason, selection.group), Failure.note(reason)))
      }
      try requireWhole(listing, selection.group)
      if !global.json, invocation.answersToTerminal, listing.emptyReason?.namesGroups != true {
        try invocation.tellOfOtherGroups(than: selection.group)
      }
      return
    }
    var accounts: [Account] = []
    var failures: [Failure] = []
    for group in try invocation.groupsOnDisk() {
      do {
        let listing = try AccountEnumeration(GroupSession(invocation.configuration(group)))
          .accounts(query)
        accounts += listing.accounts
        try requireWhole(listing, group)
      } catch {
        failures.append(Failure(invocation.refined(error)).of(group))
      }
    }
    try show(accounts, nil, in: invocation)
    guard failures.isEmpty else { throw invocation.ending(failures) }
    if accounts.isEmpty { invocation.tell("No group on this machine has a matching account.") }
  }

  func requireWhole(_ listing: AccountListing, _ group: GroupName) throws {
    guard listing.damagedRows == 0 else {
      throw CommandError.rowsDamaged(listing.damagedRows, group: group)
    }
  }

  /// A list of rules that cannot be read hides no account.
  func selection(_ invocation: Invocation) throws -> Selection {
    let group = try invocation.select(needsAccount: false)
    // absent is an answer: without the rules, the group's current account is marked.
    do { return try invocation.select() } catch { return group }
  }

  private func show(_ accounts: [Account], _ inForce: Account?, in invocation: Invocation) throws {
    if global.json {
      try invocation.answerJSON { $0.array(accounts) { $1.write(to: &$0) } }
    } else if !accounts.isEmpty {
      let columns =
        invocation.answersToTerminal ? SystemCalls.windowSize(STDOUT_FILENO)?.columns : nil
      let table = AccountTable(
        accounts, now: invocation.now, showsGroup: allGroups, inForce: inForce)
      try invocation.answer(
        layout.shown(table.text(columns: columns, colour: invocation.hasColour)))
      invocation.keepUntilExit(table)
    }
    invocation.keepUntilExit(accounts)
  }
}

extension EmptyReason {
  /// Whether the message of the reason names the other groups.
  fileprivate var namesGroups: Bool {
    if case .onlyInOtherGroups = self { true } else { false }
  }
}

extension Invocation {
  /// Names the other groups that have a file, as the last line of a list on a terminal.
  fileprivate func tellOfOtherGroups(than group: GroupName) throws {
    let others = try groupsOnDisk().filter { $0 != group }.map(\.description)
    guard !others.isEmpty else { return }
    let shown = others.prefix(3).joined(separator: ", ")
    let more = others.count > 3 ? " and \(others.count - 3) more" : ""
    tell("also: \(shown)\(more); tokenvault list --all-groups")
  }
}
