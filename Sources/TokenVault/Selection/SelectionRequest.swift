import TokenVaultModel

/// The options of a command that select a group and an account.
package struct SelectionRequest {
  /// The value of `--group`.
  package var group: String?
  /// The value of `--account`, or an argument.
  package var account: AccountReference?
  /// The value of TOKENVAULT_ACCOUNT.
  package var accountOfVariable: AccountReference?
  /// Whether naming the account overrules the rules that forbid it.
  package var overrulesDenials = true
  /// The value of `--vault-dir`.
  package var vaultDirectory: String?

  package init() {}

  /// Selects the group and, if `needsAccount`, the account.
  package func select(
    in surroundings: Surroundings, _ situation: Situation, needsAccount: Bool = true
  ) throws(SelectionError) -> Selection {
    let named = try namedGroup(surroundings)
    var rule: AccountRule?
    var denials: [AccountRule] = []
    let isOverruled = account != nil && overrulesDenials
    if named == nil || (needsAccount && !isOverruled) {
      let rules = try rules(surroundings)
      do { (rule, denials) = try rules.matching(situation) } catch { throw .vault(error) }
    }

    let (group, groupRule): (GroupName, Selection.Rule)
    if let named {
      (group, groupRule) = named
    } else if let rule {
      (group, groupRule) = (rule.group, .rule(rule.conditions))
    } else {
      (group, groupRule) = try standardGroup(surroundings)
    }
    let (reference, accountRule): (AccountReference, Selection.Rule)
    if let account {
      (reference, accountRule) = (account, .option)
    } else if let accountOfVariable {
      (reference, accountRule) = (accountOfVariable, .variable)
    } else if let rule, rule.group == group {
      (reference, accountRule) = (.rule(rule, try rules(surroundings)), .rule(rule.conditions))
    } else {
      (reference, accountRule) = (.current, .standard)
    }
    return Selection(
      group: group, groupRule: groupRule, account: reference, accountRule: accountRule,
      denials: isOverruled ? [] : denials)
  }

  /// The rules that say which account is used where.
  package func rules(_ surroundings: Surroundings) throws(SelectionError) -> AccountRules {
    AccountRules(
      vaultDirectory: try surroundings.configuration(
        .universalStorage, vaultDirectory: vaultDirectory
      ).directory)
  }

  private func namedGroup(
    _ surroundings: Surroundings
  ) throws(SelectionError) -> (GroupName, Selection.Rule)? {
    if let text = group {
      guard let name = GroupName(text) else { throw .badGroupName(text, from: .option) }
      return (name, .option)
    }
    guard let text = surroundings.environment["TOKENVAULT_GROUP"] else { return nil }
    guard let name = GroupName(text) else { throw .badGroupName(text, from: .variable) }
    return (name, .variable)
  }

  private func standardGroup(
    _ surroundings: Surroundings
  ) throws(SelectionError) -> (GroupName, Selection.Rule) {
    guard let path = surroundings.configurationFile else { return (.universalStorage, .standard) }
    do {
      guard let group = try UserConfiguration.read(path)?.defaultGroup else {
        return (.universalStorage, .standard)
      }
      return (group, .configuration(path))
    } catch { throw .vault(error) }
  }
}
