import TokenVault
import TokenVaultModel

extension SignOutReport {
  private static let keptBy = ", for this client only: other clients keep the account"

  /// The report of a group as `sign-out` prints it.
  func lines(of group: GroupName) -> [String] {
    let kept = Set(keptAccounts.map(\.identity))
    let names = zip(accounts, accounts.toldApart).map { account, name in
      "signed out  \(PlainText.escaped(name))  from \(group)"
        + (kept.contains(account.identity) ? Self.keptBy : "")
    }
    return (names.isEmpty ? ["\(group): there was no account to sign out"] : names)
      + entries.map { "  \($0.line)" } + toldByProviders
  }

  /// The same with numbers in the place of long lists.
  func summary(of group: GroupName) -> [String] {
    var lines: [String] = []
    let erased = accounts.count - keptAccounts.count
    for (count, end) in [(erased, ""), (keptAccounts.count, Self.keptBy)] where count > 0 {
      lines.append("signed out  \(count.counted("account"))  from \(group)\(end)")
    }
    if lines.isEmpty { lines.append("\(group): there was no account to sign out") }
    var files: [(path: String, entries: [Entry])] = []
    for entry in entries {
      if let file = entry.file, entry.account != nil {
        if files.last?.path != file { files.append((file, [])) }
        files[files.count - 1].entries.append(entry)
      } else {
        lines.append("  \(entry.line)")
      }
    }
    for (path, entries) in files {
      lines.append(
        entries.count == 1
          ? "  \(entries[0].line)"
          : "  NOT CLEAN file  \(PlainText.escaped(path)) still has \(entries.count) accounts: "
            + "tokenvault import --remove \(PlainText.shellWord(path)) ACCOUNT")
    }
    let told = toldByProviders
    lines += told.prefix(Failure.mostLines)
    if told.count > Failure.mostLines {
      lines.append("  and \(told.count - Failure.mostLines) more")
    }
    return lines
  }

  /// Each line of a provider once.
  private var toldByProviders: [String] {
    var told = Set<String>()
    return (revocations.map(\.line) + unaskedLines + browserSessions.map(\.line))
      .filter { told.insert($0).inserted }.map { "  " + $0 }
  }
}
