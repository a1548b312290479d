import ArgumentParser
import TokenVault
import TokenVaultModel

struct ForecastCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "forecast", abstract: "Say which accounts will soon need a sign-in.",
    discussion: """
      For each account, it prints when it will need its user, and why: the provider named the end of \
      the refresh token, or ends one that is not used for some time, nothing that renews the token is \
      stored, or the stored secret expires. If the end is not known, it says so.

      The exit status is 4 if an account needs a sign-in or another secret within 7 days, or within \
      --within, and 0 otherwise. The command asks for nothing and unlocks nothing.

      EXAMPLES
        tokenvault forecast
        tokenvault forecast --within 2d --json
        tokenvault forecast --all-groups --within 7d --notify
      """)

  @Option(help: "Only accounts that need their user within this time, as in 12h or 7d.")
  var within: String?
  @Flag(help: "Look into every group on this machine.")
  var allGroups = false
  @Flag(help: "Also show a notification on the desktop if an account needs its user.")
  var notify = false
  @OptionGroup var layout: TableOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let limit = try within.map { text throws(CommandError) in
      guard let limit = Duration(text) else { throw .badDuration(text) }
      return limit
    }
    var (all, failures): ([SignInForecast], [Failure]) = ([], [])
    for group in try groups(invocation) {
      do {
        let found = try invocation.vaultWithoutPrompt(of: group).forecasts()
        all += found.forecasts
        guard found.damagedRows == 0 else {
          throw CommandError.rowsDamaged(found.damagedRows, group: group)
        }
      } catch { failures.append(Failure(invocation.refined(error)).of(group)) }
    }
    let report = ForecastReport(all, within: limit, now: invocation.now)
    if all.isEmpty, !failures.isEmpty { throw invocation.ending(failures) }
    if global.json {
      try invocation.answerJSON { report.write(to: &$0) }
    } else if !report.shown.isEmpty {
      try invocation.answer(layout.shown(report.text(showsGroup: allGroups)))
    }
    if notify, let notification = report.notification {
      do { try invocation.show(notification) } catch { failures.append(error) }
    }
    guard failures.isEmpty else { throw invocation.ending(failures) }
    if let failure = report.failure(signIn: invocation.signIn) { throw failure }
    if report.shown.isEmpty { invocation.tell("No account needs a sign-in.") }
  }

  private func groups(_ invocation: Invocation) throws -> [GroupName] {
    guard !allGroups else { return try invocation.groupsOnDisk() }
    let selection = try invocation.select(needsAccount: false)
    invocation.explain(selection)
    return [selection.group]
  }
}
