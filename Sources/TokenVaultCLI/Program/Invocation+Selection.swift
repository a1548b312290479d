package import TokenVault
import TokenVaultModel

extension Invocation {
  /// Selects the group and, if `needsAccount`, the account.
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
        account: .rule(rule, try directoryRules()),
        accountRule: .directory(rule.path))
    }
    return Selection(
      group: group, groupRule: groupRule, account: .current, accountRule: .standard)
  }

  /// The vault of the selected group.
  package func vault(of selection: Selection) throws(CommandError) -> GroupSession {
    GroupSession(try configuration(selection.group))
  }

  /// The vault of the selected group, for commands that need no account.
  func selectedVault() throws -> GroupSession {
    let selection = try select(needsAccount: false)
    explain(selection)
    return try vault(of: selection)
  }

  /// The vault of the selected group, for commands that need a token of one of its accounts.
  func vaultWithAccounts(of selection: Selection) throws -> GroupSession {
    let vault = try vault(of: selection)
    guard InputFile.exists(vault.configuration.groupPath) else {
      throw knows(selection.group)
        ? CommandError.nothingSignedIn(selection.group) : .unknownGroup(selection.group)
    }
    return vault
  }

  /// Whether the group has a file or a manifest. A manifest that cannot be used is one.
  func knows(_ group: GroupName) -> Bool {
    do {
      let configuration = try configuration(group)
      if InputFile.exists(configuration.groupPath) { return true }
      _ = try configuration.manifests.find(group)
      return true
    } catch VaultError.noManifest { return false } catch { return true }
  }

  /// A missing group is one without accounts if it has a manifest, otherwise an unknown one.
  func refined(_ error: any Error) -> any Error {
    guard case VaultError.noGroup(let group) = error, !knows(group) else { return error }
    return CommandError.unknownGroup(group)
  }

  /// With `-v`, prints which group was selected, and why.
  func explain(_ selection: Selection) {
    guard options.isVerbose else { return }
    tell("group \(selection.group), \(selection.groupRule.reason(isAccount: false))")
  }

  /// The groups that have a file, in order.
  func groupsOnDisk() throws -> [GroupName] {
    let directory = try configuration(.universalStorage).groupsDirectory
    return try GroupFiles.names(in: directory, suffix: ".vault")
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
    let rules = try directoryRules()
    do { return try rules.nearest(to: workingDirectory) } catch { throw .vault(error) }
  }

  private func directoryRules() throws(CommandError) -> DirectoryRules {
    DirectoryRules(vaultDirectory: try configuration(.universalStorage).directory)
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
}
