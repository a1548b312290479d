import ArgumentParser
import TokenVault

/// `--service`, for commands that take an account.
struct ServiceOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The stored secret of this service, as its URL or host.",
      discussion: """
        It is looked for in the group that --group, a variable, a rule or the configuration names, \
        and in dev.tokenvault.shared. An account chooses between several user names.
        """, valueName: "url"))
  var service: String?
}

extension ServiceAuthentication: ExpressibleByArgument {}
