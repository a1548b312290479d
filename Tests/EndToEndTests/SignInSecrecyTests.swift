import Foundation
import Testing
import TokenVaultTestSupport

/// Searches the arguments, the environment and the output of commands for the tokens of an account.
@Suite(.timeLimit(.minutes(10))) struct SignInSecrecyTests {
  private static let ada = "ada@contoso.example"

  @Test func noTokenIsInArgumentsEnvironmentOutputOrErrors() throws {
    let bench = try SignedInMachine()
    try bench.signIn(Self.ada)
    var secrets = try stored(bench)
    let failure = #"{"error": "invalid_grant", "suberror": "basic_action", "description": "no"}"#
    let commands: [(command: String, status: Int32, fault: String?)] = [
      ("list --json", 0, nil), ("ui --no-input", 64, nil),
      ("request GET \(bench.provider.url)/v1.0/me --scope User.Read -v", 0, nil),
      ("token --scope User.Read --force-refresh -v >/dev/null", 0, nil),
      ("token --scope User.Read --force-refresh -v", 4, failure),
      ("token --scope Mail.Read -v", 76, #"{"raw": "{}"}"#),
      ("sign-out \(Self.ada) --browser -v", 0, nil),
    ]
    for (command, status, fault) in commands {
      if let fault { try bench.provider.fault(fault) }
      let log = bench.machine.session.directory.appending(path: "started").path
      let ran = try bench.machine.shell(
        "exec strace -f -qq -v -s 99999 -o \(log) -e trace=execve \"$T\" \(command)")
      #expect(ran.status == status, "\(command): \(ran.errors)")
      if !command.hasPrefix("sign-out") { secrets.formUnion(try stored(bench)) }
      #expect(secrets.count >= 3)
      let started = try String(contentsOfFile: log, encoding: .utf8)
      #expect(started.contains("execve("))
      for secret in secrets {
        #expect(!started.contains(secret), "a program started by \(command)")
        #expect(!ran.output.contains(secret), "the output of \(command)")
        #expect(!ran.errors.contains(secret), "the errors of \(command)")
      }
    }
  }

  /// The tokens in the group.
  private func stored(_ bench: SignedInMachine) throws -> Set<String> {
    let ran = try bench.machine.shell("\"$T\" export | cat")
    let cache = try #require(try ran.json() as? [String: [String: [String: Any]]])
    return Set(cache.values.flatMap(\.values).compactMap { $0["secret"] as? String })
  }
}
