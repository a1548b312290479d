import TokenVaultSystem

/// Whether a file is in a git repository.
enum GitState: String {
  /// The repository has the file.
  case tracked
  /// The next `git add` may take it.
  case notIgnored
  case ignored
  /// There is a repository, and git does not answer for it.
  case unknown

  /// Nil if no directory above the file is a repository.
  init?(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return nil }
    let directory = slash == path.startIndex ? "/" : String(path[..<slash])
    let name = String(path[path.index(after: slash)...])
    guard Self.isInRepository(directory) else { return nil }
    switch Self.git(["ls-files", "--error-unmatch", "--", ":(literal)\(name)"], in: directory) {
    case 0: self = .tracked
    case 1:
      switch Self.git(["check-ignore", "-q", "--", name], in: directory) {
      case 0: self = .ignored
      case 1: self = .notIgnored
      default: self = .unknown
      }
    default: self = .unknown
    }
  }

  private static func isInRepository(_ directory: String) -> Bool {
    var path = directory
    while true {
      if InputFile.exists(path + "/.git") { return true }
      guard let slash = path.lastIndex(of: "/"), path != "/" else { return false }
      path = slash == path.startIndex ? "/" : String(path[..<slash])
    }
  }

  /// A repository's configuration may name a pipe, for which git waits.
  private static let milliseconds = 10_000

  /// The exit status; nil if git does not end in time.
  ///
  /// The repository may be somebody else's. Its monitor and hooks are not run; no object is fetched,
  /// because the configuration names the program that sends it; and a directory that is laid out as a
  /// bare repository, which a clone may contain, is none.
  private static func git(_ words: [String], in directory: String) -> Int32? {
    var environment = Invocation.wholeEnvironment().filter { !$0.key.hasPrefix("GIT_") }
    environment["GIT_ALLOW_PROTOCOL"] = "none"
    environment["GIT_NO_LAZY_FETCH"] = "1"
    environment["GIT_TERMINAL_PROMPT"] = "0"
    let own = [
      "git", "--no-optional-locks", "-C", directory, "-c", "core.fsmonitor=false", "-c",
      "core.hooksPath=/dev/null", "-c", "safe.bareRepository=explicit",
    ]
    // absent is an answer: without git, or without its answer in time, the state is not known.
    do {
      return try ChildProgram.run(
        own + words, environment: environment, milliseconds: milliseconds)?.status
    } catch { return nil }
  }

  var text: String {
    switch self {
    case .tracked: "tracked by git"
    case .notIgnored: "in a git repository, not ignored"
    case .ignored: "in a git repository, ignored"
    case .unknown: "in a git repository"
    }
  }
}
