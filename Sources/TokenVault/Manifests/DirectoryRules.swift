import TokenVaultGroupStore
package import TokenVaultModel

/// The rules that give a directory and everything below it a group and an account of their own
/// (`switch --here`).
///
/// Each line of the file has a group, an account tag in hexadecimal, a path, and the device and inode
/// numbers of the directory, which a moved directory keeps; earlier programs wrote no numbers. The tag
/// is a keyed digest whose meaning only the open group reveals, so the file names no account. While a renewal
/// of the group changes the tags, a rule has two lines, one for the former tag and one for the next.
package struct DirectoryRules: Hashable, Sendable {
  /// One rule.
  package struct Rule: Hashable, Sendable {
    package let group: GroupName
    /// The tag of the account; several while a renewal is changing it.
    package fileprivate(set) var accounts: [[UInt8]]
    package let path: String
    /// Device and inode number of the directory; nil if it was not there, or in a rule of an earlier
    /// program.
    fileprivate(set) var directory: [UInt64]?

    package init(group: GroupName, account: [UInt8], path: String) {
      self.group = group
      accounts = [account]
      self.path = path
    }
  }

  private let path: String
  private let vaultDirectory: String

  package init(vaultDirectory: String) {
    self.vaultDirectory = vaultDirectory
    path = vaultDirectory + "/directories"
  }

  /// All rules, in the order of the file.
  package func all() throws(VaultError) -> [Rule] {
    guard let bytes = try SmallFile.read(path) else { return [] }
    var rules: [Rule] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 3)
      let numbers =
        parts.count < 4
        ? nil : parts[3].split(separator: UInt8(ascii: ":")).map { UInt64($0.text) }
      guard parts.count >= 3, numbers.map({ $0.count == 2 && !$0.contains(nil) }) ?? true,
        let group = GroupName(String(decoding: parts[0], as: UTF8.self)),
        let account = Hexadecimal.decode(parts[1]), account.count == 32
      else { throw .badManifest(path: path, fault: .badValue("line \(rules.count + 1)")) }
      let path = parts[2].text
      if rules.last?.path == path, rules.last?.group == group {
        rules[rules.count - 1].accounts.append(account)
      } else {
        var rule = Rule(group: group, account: account, path: path)
        rule.directory = numbers?.compactMap { $0 }
        rules.append(rule)
      }
    }
    return rules
  }

  /// The rule of the nearest directory at or above `directory`, which is absolute with symlinks
  /// resolved; nil if there is none.
  package func nearest(to directory: String) throws(VaultError) -> Rule? {
    try all()
      .filter { $0.path == "/" || directory == $0.path || directory.hasPrefix($0.path + "/") }
      .max { $0.path.utf8.count < $1.path.utf8.count }
  }

  /// A rule that was probably made for `directory`, or for one above it, before that was moved: the
  /// rule's own directory is gone, and this one has its numbers, or at least its name. Nil if there is
  /// none.
  package func formerRule(of directory: String) throws(VaultError) -> Rule? {
    let gone = try all().filter { FileSafety.identity(of: $0.path) == nil }
    guard !gone.isEmpty else { return nil }
    var (places, path) = ([directory], directory)
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = String(path[..<slash])
      places.append(path)
    }
    let present = places.compactMap(FileSafety.identity)
    if let same = gone.first(where: { $0.directory.map(present.contains) ?? false }) {
      return same
    }
    let names = Set(directory.split(separator: "/"))
    return gone.first { $0.path.split(separator: "/").last.map(names.contains) ?? false }
  }

  /// The rule of this directory itself; nil if there is none.
  func rule(of directory: String) throws(VaultError) -> Rule? {
    try all().first { $0.path == directory }
  }

  /// Sets the rule of a directory. It replaces the one that the directory had.
  package func set(_ rule: Rule) throws(VaultError) {
    guard rule.path.hasPrefix("/"), !rule.path.utf8.contains(where: { $0 < 0x20 }) else {
      throw .invalid(.directory)
    }
    var rule = rule
    rule.directory = FileSafety.identity(of: rule.path)
    try change { [rule] rules in rules.filter { $0.path != rule.path } + [rule] }
  }

  /// Removes the rule of `directory` itself; rules of directories above it stay.
  /// - Returns: Whether there was one.
  package func remove(directory: String) throws(VaultError) -> Bool {
    try change { rules in rules.filter { $0.path != directory } } > 0
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
      }
    }
  }

  @discardableResult
  private func change(_ edit: ([Rule]) -> [Rule]) throws(VaultError) -> Int {
    guard try SmallFile.read(path) != nil || !edit([]).isEmpty else { return 0 }
    return try vaultErrors(.universalStorage) {
      try FileSafety.makeDirectory(self.vaultDirectory)
      return try FileLock.hold(self.vaultDirectory + "/.directories.lock", waiting: 10_000) {
        let before = try self.all()
        let after = edit(before)
        if after != before {
          let text = after.flatMap { rule in
            let numbers = rule.directory.map { "\t\($0[0]):\($0[1])" } ?? ""
            return rule.accounts.map {
              "\(rule.group)\t\(Hexadecimal.encode($0))\t\(rule.path)\(numbers)\n"
            }
          }
          try SmallFile.write(Array(text.joined().utf8), to: self.path)
        }
        return before.count - after.count
      }
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}
