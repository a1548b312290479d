import Glibc

extension Invocation {
  /// Writes an answer. What goes to the standard output goes through here, once, when all of it is
  /// known: a command that fails has answered nothing.
  func answer(_ bytes: [UInt8]) throws(CommandError) {
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes[written...].withUnsafeBytes {
        unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count)
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw .output(errno: errno)
      }
      written += count
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

  /// Tells the person at the terminal something that is no answer.
  func tell(_ text: String) { Self.tell(text) }

  static func tell(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    // Nobody is left to be told when this fails.
    _ = unsafe bytes.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  /// Tells of a failure and what to do next.
  static func tell(_ failure: Failure) {
    guard !failure.message.isEmpty else { return }
    tell("tokenvault: \(failure.message)" + (failure.next.map { "\nnext: \($0)" } ?? ""))
  }

  /// Whether a person sees the standard output.
  var answersToTerminal: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Whether answers may be coloured (no-color.org).
  var hasColour: Bool {
    answersToTerminal && environment["NO_COLOR"] == nil && environment["TERM"] != "dumb"
  }
}
