import ArgumentParser
import TokenVault

/// The conditions of a rule.
struct RuleOptions: ParsableArguments {
  @Option(
    help: "A directory, and everything below it.", completion: .directory)
  var directory: String?
  @Option(
    help: ArgumentHelp(
      "The owner or the repository of a git remote.", valueName: "host/owner"))
  var remote: String?
  @Option(help: "The host of a credential: HOST, HOST/PATH, a URL or *.DOMAIN.")
  var host: String?
  @Option(help: ArgumentHelp("The resource that a token is for.", valueName: "url"))
  var audience: String?
  @Option(help: "The tenant that a token is requested for.")
  var tenant: String?

  /// The conditions, with a directory made absolute.
  func conditions(in invocation: Invocation) throws -> RuleConditions {
    var conditions = RuleConditions()
    conditions.directory = try directory.map { try invocation.resolved($0) }
    for (name, text) in [("--audience", audience), ("--tenant", tenant)] {
      if let text, text.isEmpty || text.utf8.contains(where: { $0 < 0x20 }) {
        throw Failure.badRuleText(name)
      }
    }
    conditions.audience = audience
    conditions.tenant = tenant
    if let remote {
      guard let pattern = RemotePattern(remote) else { throw Failure.badRemote(remote) }
      conditions.remote = pattern
    }
    if let host {
      guard let pattern = HostPattern(host) else { throw Failure.badHostPattern(host) }
      conditions.host = pattern
    }
    return conditions
  }
}
