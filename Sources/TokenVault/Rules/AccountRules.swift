import TokenVaultGroupStore
package import TokenVaultModel
import TokenVaultSystem

/// The rules that say which account is used where.
///
/// They are the lines of one file (``AccountRule``). A line has the account's tag, a keyed digest whose
/// meaning only the open group reveals, so the file names no account. While a renewal of the group
/// changes the tags, a rule has two lines, one for the former tag and one for the next.
package struct AccountRules: Hashable, Sendable {
  private let path: String
  private let vaultDirectory: String

  package init(vaultDirectory: String) {
    self.vaultDirectory = vaultDirectory
    path = vaultDirectory + "/directories"
  }

  /// All rules, in the order of the file.
  package func all() throws(VaultError) -> [AccountRule] {
    guard let bytes = try SmallFile.read(path) else { return [] }
    var rules: [AccountRule] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let rule = AccountRule(line: line) else {
        throw .badManifest(path: path, fault: .badValue("line \(rules.count + 1)"))
      }
      if let last = rules.last, !last.isDenial, last.isAbout(rule) {
        rules[rules.count - 1].accounts += rule.accounts
      } else {
        rules.append(rule)
      }
    }
    return rules
  }

  /// The most specific of the rules that hold, and every denial that holds or may hold.
  package func matching(
    _ situation: Situation
  ) throws(VaultError) -> (rule: AccountRule?, denials: [AccountRule]) {
    let rules = try all()
    return (
      rules.filter { !$0.isDenial && $0.conditions.hold(in: situation) }
        .max { $1.conditions.isMoreSpecific(than: $0.conditions) },
      rules.filter { $0.isDenial && $0.conditions.mayHold(in: situation) }
    )
  }

  /// A rule that was probably made for `directory`, or for one above it, before that was moved: the
  /// rule's own directory is gone, and this one has its numbers, or at least its name. Nil if there is
  /// none.
  package func formerRule(of directory: String) throws(VaultError) -> AccountRule? {
    let gone = try all().filter { rule in
      rule.conditions.directory.map { FileSafety.identity(of: $0) == nil } ?? false
    }
    guard !gone.isEmpty else { return nil }
    var (places, path) = ([directory], directory)
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = String(path[..<slash])
      places.append(path)
    }
    let present = places.compactMap(FileSafety.identity)
    if let same = gone.first(where: { $0.identity.map(present.contains) ?? false }) {
      return same
    }
    let names = Set(directory.split(separator: "/"))
    return gone.first { rule in
      rule.conditions.directory?.split(separator: "/").last.map(names.contains) ?? false
    }
  }

  /// The rule as it is now: a renewal changes its tags. Nil if it was removed.
  func current(_ rule: AccountRule) throws(VaultError) -> AccountRule? {
    try all().first { $0.isAbout(rule) }
  }

  /// Adds a rule. It replaces the one about the same question.
  package func set(_ rule: AccountRule) throws(VaultError) {
    let texts = [rule.conditions.directory, rule.conditions.audience, rule.conditions.tenant]
    guard !rule.conditions.isEmpty, rule.conditions.directory?.hasPrefix("/") ?? true,
      !texts.contains(where: { $0?.utf8.contains { $0 < 0x20 } ?? false })
    else { throw .invalid(.directory) }
    // A line that would be read as another rule, or as none, is not written.
    for line in rule.lines {
      guard var read = AccountRule(line: line.utf8.dropLast()) else { throw .invalid(.directory) }
      read.identity = rule.identity
      guard read == rule else { throw .invalid(.directory) }
    }
    try change { rules in
      rules.filter { other in
        // At one place, at most one account is used, of whatever group.
        !(other.conditions == rule.conditions && !other.isDenial && !rule.isDenial)
          && !other.isAbout(rule)
      } + [rule]
    }
  }

  /// Removes a rule.
  /// - Returns: Whether it was there.
  @discardableResult
  package func remove(_ rule: AccountRule) throws(VaultError) -> Bool {
    try change { rules in rules.filter { !$0.isAbout(rule) } } > 0
  }

  /// Removes the rule of `directory` alone; rules of directories above it, and rules with more
  /// conditions, stay.
  /// - Returns: Whether there was one.
  package func remove(directory: String) throws(VaultError) -> Bool {
    var conditions = RuleConditions()
    conditions.directory = directory
    return try change { [conditions] rules in
      rules.filter { $0.conditions != conditions || $0.isDenial }
    } > 0
  }

  /// Removes the rules that name one of these accounts of the group.
  /// - Returns: The number of removed rules.
  package func remove(group: GroupName, accounts: [[UInt8]]) throws(VaultError) -> Int {
    try change { rules in
      rules.filter { $0.group != group || !$0.accounts.contains(where: accounts.contains) }
    }
  }

  /// Removes every rule of the group.
  /// - Returns: The number of removed rules.
  package func removeAll(group: GroupName) throws(VaultError) -> Int {
    try change { rules in rules.filter { $0.group != group } }
  }

  /// Removes the drafts that killed processes left beside the file.
  func removeLeftovers() { FileDraft(of: path).removeLeftovers() }

  /// Adds the next tags of the group's accounts to its rules, before a renewal commits. Until
  /// ``settle(group:tags:)`` drops the former ones, each rule holds whether or not it commits.
  func stage(group: GroupName, tags: [[UInt8]: [UInt8]]) throws(VaultError) {
    try changeAccounts(of: group) { $0 + $0.compactMap { tags[$0] } }
  }

  /// Replaces the former tags of the group's accounts in its rules, after a renewal.
  func settle(group: GroupName, tags: [[UInt8]: [UInt8]]) throws(VaultError) {
    let next = Set(tags.values)
    try changeAccounts(of: group) { accounts in
      let present = accounts.map { tags[$0] ?? $0 }
      return present.contains(where: next.contains)
        ? Array(Set(present).intersection(next)) : present
    }
  }

  private func changeAccounts(
    of group: GroupName, _ edit: ([[UInt8]]) -> [[UInt8]]
  ) throws(VaultError) {
    try change { rules in
      rules.map { rule in
        var rule = rule
        if rule.group == group { rule.accounts = edit(rule.accounts) }
        return rule
      }.withoutRepetition
    }
  }

  @discardableResult
  private func change(_ edit: ([AccountRule]) -> [AccountRule]) throws(VaultError) -> Int {
    guard try SmallFile.read(path) != nil || !edit([]).isEmpty else { return 0 }
    return try vaultErrors(.universalStorage) {
      try FileSafety.makeDirectory(self.vaultDirectory)
      return try FileLock.hold(self.vaultDirectory + "/.directories.lock", waiting: 10_000) {
        let before = try self.all()
        let after = edit(before)
        if after != before {
          let text = after.flatMap(\.lines)
          try SmallFile.write(Array(text.joined().utf8), to: self.path)
        }
        return before.count - after.count
      }
    }
  }
}

extension [AccountRule] {
  /// The two lines of a denial, one for each tag, become equal when the former tag is replaced.
  fileprivate var withoutRepetition: [AccountRule] {
    var seen = Set<AccountRule>()
    return filter { !$0.isDenial || seen.insert($0).inserted }
  }
}
