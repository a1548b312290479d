import Glibc
public import TokenVaultSignIn

/// Opens the sign-in page with a program of the user's: `xdg-open` or another.
public struct BrowserCommand: BrowserOpening {
  private let words: [String]
  private let environment: [String: String]
  private let patienceMilliseconds: Int

  /// - Parameters:
  ///   - command: the program and its arguments, split as a shell splits plain, quoted and escaped
  ///     words; nothing is expanded. `%s` stands for the address; without it the address comes last.
  ///   - environment: the program's; its `PATH` is where it is looked for.
  ///   - patienceMilliseconds: for how long a failure is waited for.
  public init(
    _ command: String = "xdg-open", environment: [String: String],
    patienceMilliseconds: Int = 1_000
  ) {
    words = Self.split(command) ?? []
    self.environment = environment
    self.patienceMilliseconds = patienceMilliseconds
  }

  /// Starts the program, detached from the terminal and with no output.
  /// - Returns: false where there is no such program, or it ended with a failure at once.
  public func open(_ address: HTTPURL) -> Bool {
    guard
      let child = DetachedProgram.start(Self.arguments(words, address), environment: environment)
    else { return false }
    let deadline = Deadline(milliseconds: patienceMilliseconds)
    while true {
      var status: Int32 = 0
      let ended = unsafe waitpid(child, &status, WNOHANG)
      // An application that ignores SIGCHLD cannot know how its children ended.
      if ended == -1 && errno != EINTR { return true }
      if ended == child { return status == 0 }
      if deadline.hasPassed { break }
      usleep(10_000)
    }
    DetachedProgram.reapLater(child)
    return true
  }

  /// The words with the address in them; one that has no place in them comes last.
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

  /// The words of a command; nil where a quote is not closed.
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
