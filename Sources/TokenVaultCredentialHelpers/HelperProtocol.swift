/// One of the protocols in which tools ask for credentials.
package struct HelperProtocol: Sendable {
  /// The name in `tokenvault credential NAME`.
  package let name: String
  /// The names of programs that speak it: the tool finds its helper by one of them.
  package let programs: [String]
  /// The names of other programs that it can stand in for, where the user asks for that.
  package var substitutes: [String] = []
  /// The variables that the request may stand in.
  package var variables: [String] = []
  /// Whether the request is on standard input, for these arguments.
  package var readsInput: @Sendable ([String]) -> Bool = { _ in true }
  /// Whether the first argument is a word, so that an option in its place is a slip of the
  /// configuration.
  package var beginsWithVerb = false
  /// Whether the tool starts the helper in /bin, so that rules are about the directory of the tool.
  package var startsInBin = false
  /// Whether the tool reads standard output and standard error as one text, so that -v has no effect.
  package var mergesStreams = false
  /// Whether an expired credential is an answer; otherwise it is a failure.
  package var acceptsExpired = false
  /// Reads a call. Malformed input is answered as the protocol says.
  package let begin: @Sendable (HelperCall) -> HelperStep
  /// The conversation that these arguments begin, in place of a single request; nil for none.
  package var session: @Sendable ([String]) -> CargoSession? = { _ in nil }

  /// Every protocol, in the order of the documentation.
  package static let all: [HelperProtocol] = [
    .git, .docker, .kubernetes, .aws, .cargo, .keyring, .terraform, .bazel, .goauth, .pnpm,
    .google, .azure, .azureDeveloper, .mail,
  ]

  /// The protocol with a name; nil if there is none.
  package static func named(_ name: String) -> HelperProtocol? {
    all.first { $0.name == name }
  }

  /// The protocol that a program of this name speaks; nil for `tokenvault` itself.
  package static func spoken(by program: String) -> HelperProtocol? {
    all.first { $0.programs.contains(program) || $0.substitutes.contains(program) }
  }
}
