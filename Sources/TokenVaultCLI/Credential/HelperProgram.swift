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
    } else if rest.first == "mail-auth", !rest.contains(where: { ["-h", "--help"].contains($0) }) {
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
    // The options of `mail-auth` are all its own, in any order.
    while let word = rest.first, spoken.name == "mail" || arguments.isEmpty {
      if let count = take(word, next: rest.dropFirst().first) {
        rest = rest.dropFirst(count)
      } else {
        arguments.append(word)
        rest = rest.dropFirst()
      }
    }
    arguments += rest
    options.mayAsk = false
    if spoken.mergesStreams { options.isVerbose = false }
  }

  /// Takes an option of the helper itself, as `--account NAME` or `--account=NAME`.
  /// - Returns: The number of words; nil if it is none.
  private mutating func take(_ word: String, next: String?) -> Int? {
    if ["-v", "--verbose"].contains(word) {
      options.isVerbose = true
      return 1
    }
    // A helper is as quiet as these ask for.
    if ["-q", "--quiet", "--no-input"].contains(word) { return 1 }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let isWhole = word.hasPrefix("--") && parts.count == 2
    guard let value = isWhole ? String(parts[1]) : next else { return nil }
    switch isWhole ? String(parts[0]) : word {
    case "--account": options.account = value
    case "--group", "-g": options.group = value
    case "--vault-dir": options.vaultDirectory = value
    default: return nil
    }
    return isWhole ? 1 : 2
  }

  /// Answers the call, or each request of a conversation.
  /// - Returns: The exit status that the protocol asks for.
  func run() -> Int32 {
    var invocation = Invocation.ofProcess(options: options)
    if spoken.startsInBin, let directory = Self.callersDirectory(invocation.workingDirectory) {
      invocation.workingDirectory = directory
    }
    do {
      if spoken.beginsWithVerb, let first = arguments.first, first.hasPrefix("-"),
        first != "--version"
      {
        throw Failure.unknownHelperOption(first, spoken.name)
      }
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

  /// The working directory of the first program above this one that is not in /bin: the SDKs of Azure
  /// start az and azd there, by a shell.
  private static func callersDirectory(_ own: String?) -> String? {
    let bins = ["/bin", "/usr/bin"]
    guard let own, bins.contains(own) else { return nil }
    var process = getppid()
    for _ in 0..<4 where process > 1 {
      if let place = unsafe realpath("/proc/\(process)/cwd", nil) {
        defer { unsafe free(place) }
        let path = unsafe String(cString: place)
        if !bins.contains(path) { return path }
      }
      // absent is an answer: the process has ended, or belongs to another user.
      do {
        let status = try InputFile.read("/proc/\(process)/stat", limit: 4096)
        // The name in parentheses may contain spaces.
        let rest = String(decoding: status, as: UTF8.self).split(separator: ")").last ?? ""
        process = rest.split(separator: " ").dropFirst().first.flatMap { pid_t($0) } ?? 0
      } catch { return nil }
    }
    return nil
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
