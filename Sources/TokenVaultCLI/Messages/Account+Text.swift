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

extension [Account] {
  /// Where each account is: the place, or the issuer if an account with the same name is at the same
  /// place.
  var shownPlaces: [String] {
    let all = map { [$0.shownName.lowercased(), $0.shownPlace, $0.group.description] }
    let counts = Dictionary(all.map { ($0, 1) }, uniquingKeysWith: +)
    return zip(self, all).map { account, key in
      counts[key, default: 1] == 1 || account.issuer.isEmpty ? account.shownPlace : account.issuer
    }
  }
}
