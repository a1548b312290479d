import TokenVault
import TokenVaultModel

// MARK: Rules

extension Failure {
  static func badRemote(_ text: String) -> Failure {
    Failure(
      .usage, "\(quoted(text)) is not HOST/OWNER or HOST/OWNER/NAME.",
      next: again("with a remote such as github.com/contoso"), code: "badRule")
  }

  static func badHostPattern(_ text: String) -> Failure {
    Failure(
      .usage, "\(quoted(text)) is not a host, a URL or *.DOMAIN.",
      next: again("with a host such as git.example.com"), code: "badRule")
  }

  static func badRuleText(_ option: String) -> Failure {
    Failure(
      .usage, "The value of \(option) is empty or has control characters. No rule was added.",
      next: "tokenvault rule add --help", code: "badRule")
  }

  static let ruleWithoutCondition = Failure(
    .usage, "A rule needs a condition: --directory, --remote, --host, --audience or --tenant.",
    next: "tokenvault rule add --help", code: "badRule")

  static func noRule(_ conditions: RuleConditions) -> Failure {
    Failure(
      .notFound, "There is no rule for \(conditions.words). No rule was removed.",
      next: "tokenvault rule list", code: "noRule")
  }

  /// A rule denies the account that would be used.
  static func denied(_ account: Account, _ rule: AccountRule) -> Failure {
    Failure(
      .refused,
      "A rule for \(rule.conditions.words) forbids \(name(account)). Nothing was sent.",
      next: "name another account with --account, or: tokenvault rule list", code: "deniedByRule")
  }
}
