import TokenVaultGroupStore
package import TokenVaultModel

/// The rules that give a directory and everything below it a group and an account of their own
/// (`switch --here`).
///
/// Each line of the file is one rule: group, account tag in hexadecimal, path. The tag is a keyed
/// digest whose meaning only the open group reveals, so the file names no account.
package struct DirectoryRules: Sendable {
  /// One rule.
  package struct Rule: Hashable, Sendable {
    package let group: GroupName
    package let account: [UInt8]
    package let path: String
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
      let parts = line.split(separator: UInt8(ascii: "\t"), maxSplits: 2)
      guard parts.count == 3,
        let group = GroupName(String(decoding: parts[0], as: UTF8.self)),
        let account = Hexadecimal.decode(parts[1]), account.count == 32
      else { throw .badManifest(path: path, fault: .badValue("line \(rules.count + 1)")) }
      rules.append(
        Rule(group: group, account: account, path: String(decoding: parts[2], as: UTF8.self)))
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

  /// Sets the rule of a directory. It replaces the one that the directory had.
  package func set(_ rule: Rule) throws(VaultError) {
    guard rule.path.hasPrefix("/"), !rule.path.utf8.contains(where: { $0 < 0x20 }) else {
      throw .invalid(.directory)
    }
    try change { rules in rules.filter { $0.path != rule.path } + [rule] }
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
      rules.filter { $0.group != group || !accounts.contains($0.account) }
    }
  }

  /// Removes every rule of the group.
  /// - Returns: The number of removed rules.
  package func removeAll(group: GroupName) throws(VaultError) -> Int {
    try change { rules in rules.filter { $0.group != group } }
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
          let text = after.map {
            "\($0.group)\t\(Hexadecimal.encode($0.account))\t\($0.path)\n"
          }
          try SmallFile.write(Array(text.joined().utf8), to: self.path)
        }
        return before.count - after.count
      }
    }
  }
}
