import ArgumentParser

/// `--account`, for commands that work with one account.
struct AccountOption: ParsableArguments {
  /// The ways to name an account, for the help of every command that takes one.
  static let forms =
    "A user name, an alias, a home account id, the part of a user name before the @, or a unique "
    + "prefix of one of these with at least three characters, in upper or lower case. If several "
    + "accounts match, use the id in its exact case, NAME//ENVIRONMENT or NAME//ISSUER."
  /// The same for commands that erase an account.
  static let wholeForms =
    "A user name, an alias, a home account id, or the part of a user name before the @, in upper "
    + "or lower case, but no shorter prefix."

  @Option(
    help: ArgumentHelp(
      "\(AccountOption.forms) Default: TOKENVAULT_ACCOUNT, the rule for the directory, the group's current "
        + "account.", valueName: "account"),
    completion: .custom { words, _, _ in Completions.accounts(words) })
  var account: String?
  @OptionGroup var place: ServiceOption

  func apply(to invocation: inout Invocation) {
    invocation.options.account = account
    invocation.options.service = place.service
  }
}
