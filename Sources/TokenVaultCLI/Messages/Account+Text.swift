import TokenVaultModel

extension Account {
  /// The name that people know: the user name, else the alias, else the identifier.
  var shownName: String {
    if !username.isEmpty { return username }
    if let alias { return alias }
    return identifier.isEmpty ? "(no account)" : identifier
  }

  /// The environment, and in B2C the policy: the same user has one account for each policy.
  var shownPlace: String { policy.map { "\(environment) \($0)" } ?? environment }
}
