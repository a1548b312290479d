import Glibc
package import TokenVaultSignIn
import TokenVaultSystem

/// Opens the sign-in page with a program: `xdg-open` or another command.
package struct BrowserCommand: BrowserOpening {
  private let words: [String]
  private let environment: [String: String]
  private let patienceMilliseconds: Int

  /// - Parameters:
  ///   - command: the program and its arguments, split like plain, quoted and escaped words in a
  ///     shell. Nothing is expanded. The URL replaces `%s`; without `%s` it becomes the last
  ///     argument.
  ///   - environment: the program's environment, whose `PATH` is searched for the program.
  ///   - patienceMilliseconds: the time to wait for the program to fail.
  package init(
    _ command: String = "xdg-open", environment: [String: String],
    patienceMilliseconds: Int = 1_000
  ) {
    words = Self.split(command) ?? []
    self.environment = environment
    self.patienceMilliseconds = patienceMilliseconds
  }

  /// Starts the program, detached from the terminal and without output.
  /// - Returns: false if the program does not exist, or failed at once.
  package func open(_ address: HTTPURL) -> Bool {
    guard
      let child = DetachedProgram.start(Self.arguments(words, address), environment: environment)
    else { return false }
    let deadline = Deadline(milliseconds: patienceMilliseconds)
    while true {
      var status: Int32 = 0
      let ended = unsafe waitpid(child, &status, WNOHANG)
      // If the application ignores SIGCHLD, the exit status is not available.
      if ended == -1 && errno != EINTR { return true }
      if ended == child { return status == 0 }
      if deadline.hasPassed { break }
      usleep(10_000)
    }
    DetachedProgram.reapLater(child)
    return true
  }

  /// The words with the URL in the place of `%s`, or at the end.
  static func arguments(_ words: [String], _ address: HTTPURL) -> [String] {
    guard words.dropFirst().contains(where: { $0.contains("%s") }) else {
      return words.isEmpty ? [] : words + [address.description]
    }
    return words.prefix(1)
      + words.dropFirst().map { word in
        word.split(separator: "%s", omittingEmptySubsequences: false)
          .joined(separator: address.description)
      }
  }

  /// The words of a command; nil if a quotation mark is not closed.
  static func split(_ command: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = command[...]
    while let character = rest.popFirst() {
      switch (character, quote) {
      case (let end, let open?) where end == open: quote = nil
      case ("\\", let open) where open != "'":
        guard let escaped = rest.popFirst() else { return nil }
        word = (word ?? "") + (open == "\"" && !"\"\\$`".contains(escaped) ? "\\" : "")
        word?.append(escaped)
      case ("'", nil), ("\"", nil):
        quote = character
        word = word ?? ""
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let word { words.append(word) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    if let word { words.append(word) }
    return quote == nil ? words : nil
  }
}
