import ArgumentParser

/// `--account`, for commands that work with one account.
struct AccountOption: ParsableArguments {
  /// The ways to name an account, for the help of every command that takes one.
  static let forms =
    "A user name, an alias, a home account id or a unique prefix of one, in upper or lower case. If "
    + "several accounts match, use the id in its exact case, ID//ENVIRONMENT or ID//ISSUER."

  @Option(
    help: ArgumentHelp(
      "\(AccountOption.forms) Default: TOKENVAULT_ACCOUNT, the rule for the directory, the group's current "
        + "account.", valueName: "account"),
    completion: .custom { _, _, _ in Completions.accounts() })
  var account: String?
}
