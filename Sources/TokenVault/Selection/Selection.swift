package import TokenVaultModel

/// The group and account that a command uses, and the rule that selected each.
///
/// Only files that can change the result are read: with options for both, no file is.
package struct Selection: Sendable {
  /// The source of a selection.
  package enum Rule: Hashable, Sendable {
    /// `--group`, `--account` or an argument.
    case option
    /// TOKENVAULT_GROUP or TOKENVAULT_ACCOUNT.
    case variable
    /// A rule that holds here.
    case rule(RuleConditions)
    /// The configuration file.
    case configuration(String)
    /// The group for secrets of services, or the secret of `--service`.
    case service
    /// The built-in group, or the group's current account.
    case standard
  }

  package let group: GroupName
  package let groupRule: Rule
  package let account: AccountReference
  package let accountRule: Rule
  /// The rules that deny an account here. They do not hold against an option.
  package var denials: [AccountRule] = []

  package init(
    group: GroupName, groupRule: Rule, account: AccountReference, accountRule: Rule,
    denials: [AccountRule] = []
  ) {
    self.group = group
    self.groupRule = groupRule
    self.account = account
    self.accountRule = accountRule
    self.denials = denials
  }
}
