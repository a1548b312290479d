import Glibc
import TokenVault
import TokenVaultCredentialHelpers
import TokenVaultModel

/// The process of a credential helper.
///
/// A tool starts it under the name of its protocol, such as `git-credential-tokenvault`, or as
/// `tokenvault credential git`. Options of its own stand before the arguments of the tool. It prints
/// the answer and nothing else to standard output, and it never asks anybody.
struct HelperProgram {
  private let spoken: HelperProtocol
  private var arguments: [String] = []
  private var options = Invocation.Options()

  /// Nil if the process was not started as a helper.
  /// - Parameter words: The words of the command line, the program's name included.
  init?(_ words: [String]) {
    guard let first = words.first else { return nil }
    let program = first.split(separator: "/").last.map(String.init) ?? first
    var rest = words.dropFirst()
    if let spoken = HelperProtocol.spoken(by: program) {
      self.spoken = spoken
    } else if rest.first == "mail-auth" {
      spoken = .mail
      rest = rest.dropFirst()
    } else if rest.first == "credential", let name = rest.dropFirst().first,
      let spoken = HelperProtocol.named(name)
    {
      self.spoken = spoken
      rest = rest.dropFirst(2)
    } else {
      return nil
    }
    while let option = rest.first, take(option, value: rest.dropFirst().first) {
      rest = rest.dropFirst(Self.flags.contains(option) ? 1 : 2)
    }
    options.mayAsk = false
    arguments = Array(rest)
  }

  private static let flags = ["-v", "--verbose"]

  /// Whether the option is one of the helper itself.
  private mutating func take(_ option: String, value: String?) -> Bool {
    switch (option, value) {
    case ("-v", _), ("--verbose", _): options.isVerbose = true
    case ("--account", let value?): options.account = value
    case ("--group", let value?), ("-g", let value?): options.group = value
    case ("--vault-dir", let value?): options.vaultDirectory = value
    default: return false
    }
    return true
  }

  /// Answers the call, or each request of a conversation.
  /// - Returns: The exit status that the protocol asks for.
  func run() -> Int32 {
    let invocation = Invocation.ofProcess(options: options)
    do {
      if arguments == ["--version"] {
        try invocation.answer(PublicClientApplication.version)
        return 0
      }
      if let session = spoken.session(arguments) { return try converse(session, invocation) }
      let answer = answer(to: spoken.begin(try call()), invocation)
      try invocation.answer(answer.output.reveal())
      return answer.status
    } catch CommandError.output {
      // The tool no longer listens.
      return ExitStatus.inputOutput.rawValue
    } catch {
      Invocation.tell(Failure(error))
      return Failure(error).status.rawValue
    }
  }

  private func answer(to step: HelperStep, _ invocation: Invocation) -> HelperAnswer {
    let answer: HelperAnswer
    switch step {
    case .answered(let ready): answer = ready
    case .asks(let request, let make):
      var outcome = CredentialBroker(invocation, tool: spoken.name).outcome(of: request)
      if case .found(let found) = outcome, found.isExpired, !spoken.acceptsExpired {
        outcome = .failed(CredentialFailure(expired: found.username))
      }
      answer = make(outcome)
    }
    if !answer.message.isEmpty { Invocation.tell("tokenvault: \(answer.message)") }
    return answer
  }

  /// The helper speaks first, and answers line by line until the tool closes standard input.
  private func converse(_ session: CargoSession, _ invocation: Invocation) throws -> Int32 {
    try invocation.answer(session.greeting)
    var lines = InputLines(limit: HelperCall.inputLimit)
    while let line = try lines.next() {
      try invocation.answer(answer(to: session.step(line), invocation).output.reveal())
    }
    return 0
  }

  private func call() throws -> HelperCall {
    let input =
      spoken.readsInput(arguments)
      ? try InputFile.standardInput(limit: HelperCall.inputLimit) : []
    return HelperCall(
      arguments, environment: Invocation.variables(spoken.variables), input: input)
  }
}

extension CredentialFailure {
  fileprivate init(expired username: String) {
    self.init(
      "The stored secret of \(PlainText.escaped(username)) has expired.\nnext: tokenvault list")
  }
}
