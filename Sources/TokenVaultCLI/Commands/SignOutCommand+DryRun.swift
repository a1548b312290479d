import TokenVault
import TokenVaultModel

extension SignOutCommand {
  /// Prints which accounts a sign-out would erase from each group.
  func tellDryRun(_ vaults: [GroupSession], in invocation: Invocation) throws {
    var found: [(group: GroupName, accounts: [(account: Account, isKept: Bool)])] = []
    var failures: [Failure] = []
    for vault in vaults {
      do {
        let present = try Erasure(vault).preview(scope(in: vault), client: clientId)
        if !skipsGroupsWithoutThem || !present.isEmpty { found.append((vault.group, present)) }
      } catch {
        guard allGroups else { throw error }
        failures.append(Failure(invocation.refined(error)).of(vault.group))
      }
    }
    guard !failures.isEmpty || found.contains(where: { !$0.accounts.isEmpty }) else {
      throw Failure(
        .notFound, "There is no such account to sign out.",
        next: "tokenvault list \(allGroups ? "--all-groups" : "--group \(vaults[0].group)")",
        code: "noAccount")
    }
    if global.json {
      try invocation.answerJSON { writer in
        if allGroups {
          writer.array(found) { Self.write($1, to: &$0) }
        } else {
          Self.write(found[0], to: &writer)
        }
      }
    } else {
      try tell(found, in: invocation)
    }
    guard failures.isEmpty else { throw invocation.ending(failures) }
  }

  private func tell(
    _ found: [(group: GroupName, accounts: [(account: Account, isKept: Bool)])],
    in invocation: Invocation
  ) throws {
    let isShort = invocation.shortens(found.reduce(0) { $0 + $1.accounts.count })
    if isShort { invocation.tell("--verbose lists every account.") }
    let lines = found.flatMap { group, accounts in
      guard !isShort else {
        return ["would sign out  \(accounts.count.counted("account"))  from \(group)\n"]
      }
      return accounts.map { account, isKept in
        "would sign out  \(PlainText.escaped(account.shownName))  from \(group)"
          + (isKept ? ", for this client only: other clients keep the account" : "") + "\n"
      }
    }
    try invocation.answer(Array(lines.joined().utf8))
    invocation.tell("Nothing was changed.")
  }

  private static func write(
    _ found: (group: GroupName, accounts: [(account: Account, isKept: Bool)]),
    to writer: inout JSONWriter
  ) {
    writer.object { writer in
      writer.field("group", found.group.description)
      writer.field("dryRun", true)
      writer.key("accounts")
      writer.array(found.accounts) { $1.account.write(to: &$0) }
      writer.key("keptAccounts")
      writer.array(found.accounts.filter(\.isKept)) { $1.account.write(to: &$0) }
    }
  }
}
