package import TokenVault
package import TokenVaultModel

/// The group and the account that a command is about, and which rule chose them.
///
/// No file is read that cannot change the answer: with an option or a variable for both, none is.
package struct Selection: Sendable {
  /// What chose something.
  package enum Rule: Hashable, Sendable {
    /// `--group`, `--account` or an argument.
    case option
    /// TOKENVAULT_GROUP or TOKENVAULT_ACCOUNT.
    case variable
    /// The rule of this directory.
    case directory(String)
    /// The configuration file.
    case configuration(String)
    /// Nothing: the built-in group, the group's current account.
    case standard
  }

  package let group: GroupName
  package let groupRule: Rule
  package let account: AccountReference
  package let accountRule: Rule
}

extension Invocation {
  /// Chooses the group and, where `needsAccount`, the account.
  package func select(needsAccount: Bool = true) throws(CommandError) -> Selection {
    let named = try chosenGroup()
    let account = options.account ?? environment["TOKENVAULT_ACCOUNT"]
    var rule: DirectoryRules.Rule?
    if named == nil || (needsAccount && account == nil) { rule = try nearestRule() }

    let (group, groupRule): (GroupName, Selection.Rule)
    if let named {
      (group, groupRule) = named
    } else if let rule {
      (group, groupRule) = (rule.group, .directory(rule.path))
    } else {
      (group, groupRule) = try standardGroup()
    }
    if let account {
      let rule: Selection.Rule = options.account == nil ? .variable : .option
      return Selection(
        group: group, groupRule: groupRule, account: AccountReference(parsing: account),
        accountRule: rule)
    }
    if let rule, rule.group == group {
      return Selection(
        group: group, groupRule: groupRule,
        account: .rule(account: rule.account, directory: rule.path),
        accountRule: .directory(rule.path))
    }
    return Selection(
      group: group, groupRule: groupRule, account: .current, accountRule: .standard)
  }

  /// The vault of the chosen group.
  package func vault(of selection: Selection) throws(CommandError) -> GroupSession {
    GroupSession(try configuration(selection.group))
  }

  private func chosenGroup() throws(CommandError) -> (GroupName, Selection.Rule)? {
    if let text = options.group {
      guard let name = GroupName(text) else { throw .badGroupName(text, from: .option) }
      return (name, .option)
    }
    guard let text = environment["TOKENVAULT_GROUP"] else { return nil }
    guard let name = GroupName(text) else { throw .badGroupName(text, from: .variable) }
    return (name, .variable)
  }

  private func nearestRule() throws(CommandError) -> DirectoryRules.Rule? {
    guard let workingDirectory else { return nil }
    let directory = try configuration(.universalStorage).directory
    do {
      return try DirectoryRules(vaultDirectory: directory).nearest(to: workingDirectory)
    } catch { throw .vault(error) }
  }

  private func standardGroup() throws(CommandError) -> (GroupName, Selection.Rule) {
    guard let path = configurationFile else { return (.universalStorage, .standard) }
    do {
      guard let group = try UserConfiguration.read(path)?.defaultGroup else {
        return (.universalStorage, .standard)
      }
      return (group, .configuration(path))
    } catch { throw .vault(error) }
  }

  /// The user's configuration file, whether it is there or not.
  package var configurationFile: String? {
    func path(_ name: String) -> String? {
      environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return (path("XDG_CONFIG_HOME") ?? path("HOME").map { $0 + "/.config" })
      .map { $0 + "/tokenvault/config.json" }
  }
}

extension Invocation {
  /// The groups that have a file, in order.
  func groupsOnDisk() throws -> [GroupName] {
    let directory = try configuration(.universalStorage).groupsDirectory
    return try GroupFiles.names(in: directory, suffix: ".vault")
  }

  func requireDirectory() throws(CommandError) -> String {
    guard let workingDirectory else { throw .noWorkingDirectory }
    return workingDirectory
  }
}
