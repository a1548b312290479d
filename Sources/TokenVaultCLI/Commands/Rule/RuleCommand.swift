import ArgumentParser

struct RuleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rule", abstract: "Say which account is used where.",
    discussion: """
      A rule gives a directory, a git remote, a host, an audience or a tenant an account of its own, or \
      forbids an account there. All conditions of a rule must hold. If several rules hold, a remote \
      counts more than a host, then come audience, tenant and directory, and of two the longer one. A \
      rule that forbids an account always counts; only --account overrules it.

      EXAMPLES
        tokenvault rule add ada@contoso.example --directory ~/work
        tokenvault rule add ada-contoso --remote github.com/contoso
        tokenvault rule add me@home.example --directory ~/work --deny
        tokenvault rule test https://github.com/contoso/app
      """,
    subcommands: [
      RuleAddCommand.self, RuleListCommand.self, RuleRemoveCommand.self, RuleTestCommand.self,
    ])
}
