package import TokenVaultModel
import TokenVaultGroupStore

/// A rule: where its conditions hold, an account is used, or never used.
package struct AccountRule: Hashable, Sendable {
  package let group: GroupName
  /// The tag of the account; several while a renewal is changing it.
  package internal(set) var accounts: [[UInt8]]
  package let conditions: RuleConditions
  /// Whether the account must not be used here.
  package let isDenial: Bool
  /// Device and inode number of the directory; nil if it was not there, or in a rule of an earlier
  /// program.
  var identity: [UInt64]?

  /// A rule for an account.
  package init(
    group: GroupName, account: [UInt8], _ conditions: RuleConditions, isDenial: Bool = false
  ) {
    self.group = group
    accounts = [account]
    self.conditions = conditions
    self.isDenial = isDenial
    identity = conditions.directory.flatMap(FileSafety.identity)
  }

  /// A rule for a directory and everything below it.
  package init(group: GroupName, account: [UInt8], path: String) {
    var conditions = RuleConditions()
    conditions.directory = path
    self.init(group: group, account: account, conditions)
  }

  /// Whether the other rule decides the same question, so that one of them is enough. Several
  /// accounts can be denied at one place.
  func isAbout(_ other: AccountRule) -> Bool {
    conditions == other.conditions && isDenial == other.isDenial && group == other.group
      && (!isDenial || !Set(accounts).isDisjoint(with: other.accounts))
  }
}

/// One line of the file: fields with a tab between them. The first two are the group and an account
/// tag in hexadecimal; a path is the directory; each other field has a name.
extension AccountRule {
  /// Nil for a line that no program has written.
  init?(line: some Sequence<UInt8>) {
    let fields = Array(line)
      .split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count >= 3, !fields.contains(""), let group = GroupName(fields[0]),
      let account = Hexadecimal.decode(Array(fields[1].utf8)), account.count == 32
    else { return nil }
    var conditions = RuleConditions()
    var isDenial = false
    var identity: [UInt64]?
    for field in fields.dropFirst(2) {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(String.init)
      switch (field.hasPrefix("/") ? "/" : parts[0], parts.count == 2 ? parts[1] : "") {
      case ("/", _): conditions.directory = field
      case ("deny", ""): isDenial = true
      case ("remote", let text): conditions.remote = RemotePattern(text)
      case ("host", let text): conditions.host = HostPattern(text)
      case ("audience", let text) where !text.isEmpty: conditions.audience = text
      case ("tenant", let text) where !text.isEmpty: conditions.tenant = text
      case ("inode", let text):
        identity = text.split(separator: ":").compactMap { UInt64($0) }
        guard identity?.count == 2 else { return nil }
      default: return nil
      }
      // A condition that was dropped would widen the rule.
      if parts[0] == "remote", conditions.remote == nil { return nil }
      if parts[0] == "host", conditions.host == nil { return nil }
    }
    self.group = group
    accounts = [account]
    self.conditions = conditions
    self.isDenial = isDenial
    self.identity = identity
  }

  /// The lines of the rule, one for each tag.
  var lines: [String] {
    let numbers = identity.map { $0.map(String.init).joined(separator: ":") }
    let columns = [
      conditions.directory, isDenial ? "deny" : nil,
      conditions.remote.map { "remote=\($0)" }, conditions.host.map { "host=\($0)" },
      conditions.audience.map { "audience=\($0)" }, conditions.tenant.map { "tenant=\($0)" },
      numbers.map { "inode=\($0)" },
    ].compactMap { $0 }
    return accounts.map { account in
      ([group.description, Hexadecimal.encode(account)] + columns).joined(separator: "\t") + "\n"
    }
  }
}
