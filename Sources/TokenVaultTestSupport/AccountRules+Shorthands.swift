package import TokenVault

extension AccountRules {
  /// The rule that counts in a directory.
  package func nearest(to directory: String) throws(VaultError) -> AccountRule? {
    var situation = Situation()
    situation.directory = directory
    return try matching(situation).rule
  }
}
