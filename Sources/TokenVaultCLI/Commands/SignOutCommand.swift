import ArgumentParser
import TokenVault
import VaultModel

struct SignOutCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "Erase accounts from the group, for good.",
    discussion: """
      The accounts' tokens are erased and the group gets a new key, so that older copies of its \
      file give them away no more. The report names every place. The provider is not told: what \
      was handed out before stays valid until it ends.

      EXAMPLES
        tokenvault sign-out ada@contoso.example
        tokenvault sign-out --all --yes
        tokenvault sign-out work --client-id 04b07795-8ddb-461a-bbee-02f9e1bf7b46
      """,
    aliases: ["logout"])

  @Argument(
    help: ArgumentHelp("Each: \(accountForms)"),
    completion: .custom { _, _, _ in Completions.accounts() })
  var accounts: [String] = []
  @Flag(help: "Every account of the group.")
  var all = false
  @Flag(help: "In every group on this machine; without accounts, every account there is.")
  var allGroups = false
  @Option(help: "Sign out this client only; others keep their tokens.")
  var clientId: String?
  @Flag(help: "Revoke nothing at the provider. This version never does, with or without it.")
  var noRevoke = false
  @Flag(help: "Do not ask for confirmation.")
  var yes = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    guard !accounts.isEmpty || all || allGroups else { throw CommandError.accountNotNamed }
    guard accounts.isEmpty || !all else { throw CommandError.accountNamedTwice }
    let selection = allGroups ? nil : try invocation.select(needsAccount: false)
    if let selection { invocation.explain(selection) }
    let groups = try selection.map { [$0.group] } ?? invocation.groupsOnDisk()
    if all || allGroups {
      let what =
        accounts.isEmpty ? "every account" : accounts.map(PlainText.escaped).joined(separator: ", ")
      let place = allGroups ? "\(groups.count) groups" : "\(groups[0])"
      try invocation.confirm("Sign out \(what) of \(place)?", isAnswered: yes)
    }
    var reports: [(group: GroupName, report: SignOutReport)] = []
    var failures: [Failure] = []
    for group in groups {
      let vault = VaultCore(try invocation.configuration(group))
      do {
        if let report = try erase(in: vault) { reports.append((group, report)) }
      } catch {
        guard allGroups else { throw error }
        failures.append(Failure(error).of(group))
      }
    }
    if allGroups, !accounts.isEmpty, reports.isEmpty, failures.isEmpty {
      throw Failure(
        .notFound, "No group on this machine has such an account.",
        next: "tokenvault list --all-groups")
    }
    try show(reports, in: invocation)
    failures.forEach(Invocation.tell)
    if let failure = failures.first { throw CommandError.groupsFailed(failure.status) }
    if let left = reports.first(where: { !$0.report.isClean }) {
      throw CommandError.notClean(
        left.report.entries.filter { !$0.isClean }.map(\.place), group: left.group)
    }
  }

  /// Nil when a group of several has none of the accounts.
  private func erase(in vault: VaultCore) throws(VaultError) -> SignOutReport? {
    guard !accounts.isEmpty else {
      if let clientId { return try vault.signOutAll(client: clientId) }
      return try vault.signOutAll()
    }
    var chosen = accounts
    if allGroups {
      chosen = []
      for account in accounts {
        do {
          chosen.append(try vault.account(.named(account)).selector)
        } catch .noAccount { continue }
      }
      if chosen.isEmpty { return nil }
    }
    if let clientId { return try vault.signOut(chosen, client: clientId) }
    return try vault.signOut(chosen)
  }

  private func show(
    _ reports: [(group: GroupName, report: SignOutReport)], in invocation: Invocation
  ) throws {
    if global.json {
      return try invocation.answerJSON { writer in
        if allGroups {
          writer.array(reports) { $1.report.write($1.group, to: &$0) }
        } else if let (group, report) = reports.first {
          report.write(group, to: &writer)
        }
      }
    }
    var lines: [String] = []
    for (group, report) in reports {
      if report.accounts.isEmpty { lines.append("\(group): there was nothing to sign out") }
      lines += report.accounts.map {
        "signed out  \(PlainText.escaped($0.shownName))  of \(group)"
      }
      lines += report.entries.map { entry in
        "  \(entry.isClean ? "clean" : "LEFT ")  \(entry.place.rawValue): \(entry.detail)"
      }
    }
    try invocation.answer(Array(lines.map { $0 + "\n" }.joined().utf8))
  }
}

extension SignOutReport {
  fileprivate func write(_ group: GroupName, to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("group", group.description)
      writer.key("accounts")
      writer.array(accounts) { $1.write(to: &$0) }
      writer.field("clean", isClean)
      writer.key("places")
      writer.array(entries) { writer, entry in
        writer.object {
          $0.field("place", entry.place.rawValue)
          $0.field("clean", entry.isClean)
          $0.field("detail", entry.detail)
        }
      }
    }
  }
}
