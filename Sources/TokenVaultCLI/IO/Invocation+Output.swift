import Glibc
import Synchronization
import TokenVaultSystem
import TokenVaultModel

extension Invocation {
  /// Writes the result to standard output. A command calls this once, when the whole result is
  /// known: a command that fails has printed nothing.
  func answer(_ bytes: [UInt8]) throws(CommandError) {
    do { try SystemCalls.writeAll(bytes, to: STDOUT_FILENO) } catch {
      throw .output(errno: error.errno)
    }
  }

  /// Writes lines of text.
  func answer(_ lines: String...) throws(CommandError) {
    try answer(Array(lines.map { $0 + "\n" }.joined().utf8))
  }

  /// Writes one JSON value.
  func answerJSON(_ build: (inout JSONWriter) -> Void) throws(CommandError) {
    var writer = JSONWriter()
    build(&writer)
    try answer(JSONWriter.safeForTerminals(writer.finished()))
  }

  /// Leaves the memory of a large value without secrets to the end of the process. To free ten thousand
  /// accounts one by one takes a tenth of the time of a listing.
  func keepUntilExit<Value>(_ value: Value) {
    _ = unsafe Unmanaged.passRetained(Kept(value))
  }

  /// Writes a note to standard error, unless `--quiet` is given.
  func tell(_ text: String) {
    if !options.isQuiet { Self.tell(text) }
  }

  /// Writes a line to standard error, which never carries results.
  static func tell(_ text: String) { draw(text + "\n") }

  /// Writes a part of a line to standard error.
  static func draw(_ text: String) {
    bestEffort("there is no other place to report it") {
      try SystemCalls.writeAll(Array(text.utf8), to: STDERR_FILENO)
    }
  }

  /// Prints a line once a command has waited for 3 seconds without a word. With `--json`, standard
  /// error is for the error alone.
  func reportLongWaits() {
    guard !options.isJSON, !options.isQuiet else { return }
    let reported = Mutex<Set<LongWait>>([])
    LongWait.observe { wait in
      guard reported.withLock({ $0.insert(wait).inserted }) else { return }
      let text =
        switch wait {
        case .lock: "another process that uses the same files"
        case .secretService: "the keyring; it may show a prompt"
        case .server(let host): PlainText.escaped(host)
        }
      Self.tell("Waiting for \(text). Ctrl-C cancels.")
    }
  }

  /// Writes a failure and the next command to standard error.
  static func tell(_ failure: Failure, asJSON: Bool = false) {
    guard !failure.message.isEmpty else { return }
    guard asJSON else {
      return tell("tokenvault: \(failure.text)")
    }
    var writer = JSONWriter()
    failure.write(to: &writer)
    draw(String(decoding: JSONWriter.safeForTerminals(writer.finished()), as: UTF8.self))
  }

  /// Reports the failures of single groups, and returns the error that ends the command.
  func ending(_ failures: [Failure]) -> any Error {
    if options.isJSON { return Failure(failures) }
    failures.forEach { Self.tell($0) }
    return CommandError.groupsFailed(failures.first?.status ?? .unexpected)
  }

  /// Whether standard output is a terminal.
  var answersToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether results may be coloured (no-color.org).
  var hasColour: Bool {
    answersToTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
  }
}

extension Invocation {
  /// Reports that a command created the group it stores into.
  func tellOfNewGroup(_ isNew: Bool, _ group: GroupName) {
    if isNew { tell("Created the group \(group).") }
  }
}

extension Invocation {
  /// Whether a full screen can be drawn.
  var canFillScreen: Bool {
    guard let terminal = environment["TERM"], terminal != "dumb" else { return false }
    return isatty(STDIN_FILENO) == 1 && answersToTerminal
  }
}

private final class Kept<Value> {
  let value: Value
  init(_ value: Value) { self.value = value }
}
