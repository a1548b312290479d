import Glibc
public import SignIn
import SystemCalls

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
  public func open(_ address: WebAddress) -> Bool {
    guard let child = start(Self.arguments(words, address)) else { return false }
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
    reapLater(child)
    return true
  }

  /// The words with the address in them; one that has no place in them comes last.
  static func arguments(_ words: [String], _ address: WebAddress) -> [String] {
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

  private func start(_ arguments: [String]) -> pid_t? {
    guard let program = arguments.first, !program.isEmpty else { return nil }
    let places =
      program.contains("/")
      ? [program]
      : (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        .map { "\($0)/\(program)" }
    for place in places {
      if let child = spawn(place, arguments) { return child }
    }
    return nil
  }

  private func spawn(_ path: String, _ arguments: [String]) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in Int32(0)...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    // A session of its own: Ctrl-C at our terminal is not the browser's.
    let signals = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(&attributes, SystemCalls.spawnsSession | signals)

    var strings = unsafe arguments.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      unsafe strings.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    var child: pid_t = 0
    let failure = unsafe posix_spawn(
      &child, path, &actions, &attributes, &strings, &variables)
    return failure == 0 ? child : nil
  }

  /// Waits for a child that lives on, so that it leaves no zombie behind.
  private func reapLater(_ child: pid_t) {
    var thread = pthread_t()
    let context = unsafe UnsafeMutableRawPointer(bitPattern: Int(child))
    let failure = unsafe pthread_create(
      &thread, nil,
      { context in
        let child = pid_t(Int(bitPattern: context))
        while waitpid(child, nil, 0) == -1, errno == EINTR { continue }
        return nil
      }, context)
    if failure == 0 { pthread_detach(thread) }
  }
}
