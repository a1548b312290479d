import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultSystem

struct SignOutCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign-out", abstract: "Sign out accounts and erase their tokens permanently.",
    discussion: """
      The accounts' tokens are erased, and the group gets a new key, so that older copies of its \
      file no longer reveal them. After that the provider is asked to revoke them (RFC 7009). If \
      the provider cannot be reached or does not support revocation, tokens issued so far stay \
      valid until they expire, but none is left on this machine. On a shared device the provider's \
      page that ends the session in the browser is opened too. The report lists every place and \
      provider.

      Files that were imported are searched for the accounts, too. They belong to other tools and \
      are not changed; if one still has an account, the report has the command that takes it out.

      EXAMPLES
        tokenvault sign-out ada@contoso.example
        tokenvault sign-out --service git.example.com
        tokenvault sign-out --all --yes
        tokenvault sign-out work --client-id 04b07795-8ddb-461a-bbee-02f9e1bf7b46
      """,
    aliases: ["logout"])

  @Argument(
    help: ArgumentHelp("The accounts. \(AccountOption.wholeForms)"),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var accounts: [String] = []
  @Flag(help: "Sign out every account in the group.")
  var all = false
  @Flag(help: "Sign out of every group on this machine; without accounts, every account.")
  var allGroups = false
  @Option(
    help:
      "Sign out this client only; other clients keep their tokens. When the last client signs out, the account is erased."
  )
  var clientId: String?
  @Flag(help: "Do not ask the provider to revoke the tokens.")
  var noRevoke = false
  @Flag(
    inversion: .prefixedNo,
    help: ArgumentHelp(
      "Also end the provider's session in the browser.",
      discussion: "Default: --browser on a shared device, else --no-browser."))
  var browser: Bool?
  @Flag(help: "Exit with status 1 if an imported file still has the account.")
  var strict = false
  @Flag(help: "Print which accounts would be signed out, and change nothing.")
  var dryRun = false
  @OptionGroup var place: ServiceOption
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  /// Whether a group is passed over that has none of the accounts.
  var skipsGroupsWithoutThem: Bool { allGroups && !accounts.isEmpty }

  func validate() throws {
    if place.service != nil, all || allGroups || accounts.count > 1 {
      throw ValidationError("--service names one account.")
    }
  }

  func run(in invocation: Invocation) throws {
    guard !accounts.isEmpty || all || allGroups || place.service != nil else {
      throw CommandError.accountNotNamed
    }
    guard accounts.isEmpty || !all else { throw CommandError.accountNamedTwice }
    let vaults = try vaults(invocation)
    let groups = vaults.map(\.group)
    if dryRun { return try tellDryRun(vaults, in: invocation) }
    if all || allGroups {
      let what =
        accounts.isEmpty ? "every account" : accounts.map(PlainText.escaped).joined(separator: ", ")
      let place = allGroups ? groups.count.counted("group") : "\(groups[0])"
      try confirmation.require("Sign out \(what) from \(place)?", in: invocation)
    }
    var erased: [(vault: GroupSession, erased: Erasure.Result)] = []
    var failures: [Failure] = []
    // Everything is erased on this machine before a provider is contacted.
    for vault in vaults {
      do {
        if let gone = try erase(in: vault, invocation) { erased.append((vault, gone)) }
      } catch {
        guard allGroups else { throw error }
        failures.append(Failure(invocation.refined(error)).of(vault.group))
      }
    }
    let reports = erased.map {
      (group: $0.vault.group, report: say($0.erased, $0.vault, invocation))
    }
    let isIdle = failures.isEmpty && reports.allSatisfy(\.report.accounts.isEmpty)
    if let clientId, accounts.isEmpty, isIdle {
      throw CommandError.unknownClient(
        clientId, of: nil, group: allGroups ? .universalStorage : groups[0])
    }
    if allGroups, !accounts.isEmpty, reports.isEmpty, failures.isEmpty {
      throw Failure(
        .notFound, "No group on this machine has a matching account.",
        next: "tokenvault list --all-groups", code: "noAccount")
    }
    try show(reports, in: invocation)
    erased.forEach { noteCurrent(after: $0.erased.report, in: $0.vault, invocation) }
    guard failures.isEmpty else { throw invocation.ending(failures) }
    if let left = reports.first(where: { !$0.report.isClean }) {
      throw CommandError.notClean(
        left.report.entries.filter { !$0.isClean && $0.file == nil }.map(\.place),
        group: left.group)
    }
    let files = reports.flatMap(\.report.uncleanFiles)
    if strict, let first = files.first {
      throw CommandError.filesNotClean(files.compactMap(\.file), next: first.removal)
    }
  }

  private func vaults(_ invocation: Invocation) throws -> [GroupSession] {
    if let service = place.service {
      return [try invocation.secret(of: service, named: accounts.first).vault]
    }
    guard allGroups else { return [try invocation.selectedVault()] }
    return try invocation.groupsOnDisk().map { GroupSession(try invocation.configuration($0)) }
  }

  /// Says that no account is current, and which accounts there are to choose from.
  private func noteCurrent(
    after report: SignOutReport, in vault: GroupSession, _ invocation: Invocation
  ) {
    guard report.accounts.contains(where: { $0.isCurrent && !report.keeps($0) }) else { return }
    bestEffort("the accounts are signed out; the next command says the same") {
      do { _ = try vault.account(.current) } catch VaultError.ambiguousCurrentAccount(
        let candidates, let group)
      { invocation.tell(Failure.noLongerCurrent(candidates, group)) }
    }
  }

  private func say(
    _ erased: Erasure.Result, _ vault: GroupSession, _ invocation: Invocation
  ) -> SignOutReport {
    var options = SignOutOptions()
    options.clientID = clientId
    options.revokes = !noRevoke
    options.endsBrowserSession = browser
    let acquisition = invocation.acquisition(in: vault, report: SignInProgress(invocation).tell)
    return Revocation(acquisition)
      .tell(erased, options, progress: invocation.progress("Revoking tokens of accounts"))
  }

  /// Nil if the group is passed over.
  private func erase(
    in vault: GroupSession, _ invocation: Invocation
  ) throws -> Erasure.Result? {
    let result = try Erasure(vault, progress: invocation.progress("Erasing accounts"))
      .run(scope(in: vault), client: clientId)
    return skipsGroupsWithoutThem && result.report.accounts.isEmpty ? nil : result
  }

  /// The accounts to sign out of this group.
  func scope(in vault: GroupSession) throws -> Erasure.Scope {
    let erasure = Erasure(vault)
    if let service = place.service {
      guard let secret = ServiceReference(service, name: accounts.first) else {
        throw CommandError.badServiceURL(service)
      }
      return .accounts([.secret(secret)])
    }
    guard !accounts.isEmpty else { return .everything }
    var chosen = accounts.map { AccountReference(parsing: $0, allowsPrefix: false) }
    if allGroups { chosen = try present(chosen, in: vault) }
    if let clientId {
      let strangers = try erasure.strangers(to: clientId, among: chosen)
      if let stranger = strangers.first, !allGroups {
        throw CommandError.unknownClient(clientId, of: stranger, group: vault.group)
      }
      chosen.removeAll { strangers.map(AccountReference.known).contains($0) }
    }
    return .accounts(chosen)
  }

  private func present(
    _ references: [AccountReference], in vault: GroupSession
  ) throws -> [AccountReference] {
    var present: [AccountReference] = []
    for reference in references {
      do { present.append(.known(try vault.account(reference))) } catch VaultError.noAccount {
        continue
      }
    }
    return present
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
    var lines = reports.flatMap { $0.report.lines(of: $0.group) }
    if invocation.shortens(lines.count) {
      lines = reports.flatMap { $0.report.summary(of: $0.group) }
      invocation.tell("--verbose lists every account.")
    }
    try invocation.answer(Array(lines.map { $0 + "\n" }.joined().utf8))
  }
}
