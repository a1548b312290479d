internal import TokenVaultCSystem
import Glibc

/// Starts other programs. They inherit no descriptor except those that are passed to them: the
/// descriptor of a passphrase, which a shell passed on, and sockets of libraries are not
/// close-on-exec.
package enum ChildProgram {
  /// The end of a program, and what it printed.
  package struct Result: Sendable {
    /// The exit status; 128 plus the signal if a signal ended it.
    package let status: Int32
    package let output: [UInt8]
    package let errors: [UInt8]
  }

  /// The largest output that ``run(_:environment:)`` takes, of each stream: 1 MiB.
  private static let limit = 1 << 20

  /// Starts a program, without waiting for it.
  /// - Parameters:
  ///   - words: The program, which is searched for in `PATH` of the environment, and its arguments.
  ///   - streams: The descriptors for standard input, output and error; nil for /dev/null.
  ///   - ownsSession: Whether it gets a session of its own, so that Ctrl-C does not end it.
  /// - Returns: The process; nil if there is no such program.
  package static func start(
    _ words: [String], environment: [String: String], streams: [Int32?] = [nil, nil, nil],
    ownsSession: Bool = false
  ) -> Int32? {
    guard let program = words.first, !program.isEmpty else { return nil }
    let places =
      program.contains("/")
      ? [program]
      : (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        .map { "\($0)/\(program)" }
    for place in places {
      if let child = spawn(place, words, environment, streams, ownsSession) { return child }
    }
    return nil
  }

  /// The standard input of a program.
  package enum Input: Sendable {
    case empty
    /// That of this process, with its standard error: a terminal for a prompt of the program.
    case inherited
    case bytes([UInt8])
  }

  /// Runs a program to its end.
  /// - Parameter milliseconds: The time after which the program, and those that it started, are
  ///   killed; nil for none.
  /// - Returns: nil if there is no such program.
  /// - Throws: Also `ETIMEDOUT`.
  package static func run(
    _ words: [String], environment: [String: String], input: Input = .empty,
    milliseconds: Int? = nil
  ) throws(SystemCallError) -> Result? {
    // A parent that ignores SIGCHLD passes this on, and no child could be waited for.
    signal(SIGCHLD, SIG_DFL)
    let output = try temporary()
    defer { close(output) }
    let errors = try temporary()
    defer { close(errors) }
    var (source, report) = (Int32?.none, errors)
    defer { if let source, source != STDIN_FILENO { close(source) } }
    switch input {
    case .empty: break
    case .inherited: (source, report) = (STDIN_FILENO, STDERR_FILENO)
    case .bytes(let bytes):
      let file = try temporary()
      source = file
      try SystemCalls.writeAll(bytes, to: file)
      lseek(file, 0, SEEK_SET)
    }
    guard
      let child = start(
        words, environment: environment, streams: [source, output, report],
        ownsSession: milliseconds != nil)
    else { return nil }
    let status = try wait(for: child, milliseconds.map(Deadline.init(milliseconds:)))
    let signal = status & 0x7f
    return Result(
      status: signal == 0 ? (status >> 8) & 0xff : 128 + signal,
      output: try content(output), errors: try content(errors))
  }

  /// - Returns: The status as of waitpid(2).
  private static func wait(
    for child: Int32, _ deadline: Deadline?
  ) throws(SystemCallError) -> Int32 {
    var status: Int32 = 0
    while true {
      let ended = unsafe waitpid(child, &status, deadline == nil ? 0 : WNOHANG)
      if ended == child { return status }
      if ended == -1, errno != EINTR { throw SystemCallError(errno: errno, call: "waitpid") }
      if let deadline, deadline.hasPassed { break }
      if ended == 0 { usleep(2_000) }
    }
    // It leads a session, and so a process group.
    kill(-child, SIGKILL)
    while unsafe waitpid(child, &status, 0) == -1, errno == EINTR { continue }
    throw SystemCallError(errno: ETIMEDOUT, call: "waitpid")
  }

  /// A file in memory: unlike a pipe, two of them need no reader while the program runs.
  private static func temporary() throws(SystemCallError) -> Int32 {
    let descriptor = unsafe tv_memory_file("output")
    guard descriptor >= 0 else { throw SystemCallError(errno: errno, call: "memfd_create") }
    return descriptor
  }

  private static func content(_ descriptor: Int32) throws(SystemCallError) -> [UInt8] {
    guard lseek(descriptor, 0, SEEK_SET) == 0 else {
      throw SystemCallError(errno: errno, call: "lseek")
    }
    guard let bytes = try SystemCalls.readAll(descriptor, limit: limit) else {
      throw SystemCallError(errno: EFBIG, call: "read")
    }
    return bytes
  }

  private static func spawn(
    _ path: String, _ words: [String], _ environment: [String: String], _ streams: [Int32?],
    _ ownsSession: Bool
  ) -> Int32? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (target, stream) in zip(Int32(0)..., streams) {
      if let stream {
        unsafe posix_spawn_file_actions_adddup2(&actions, stream, target)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, target, "/dev/null", O_RDWR, 0)
      }
    }
    guard unsafe SystemCalls.closeOtherDescriptors(&actions) else { return nil }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    var all = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigfillset(&all)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setsigdefault(&attributes, &all)
    let signals = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    unsafe posix_spawnattr_setflags(
      &attributes, (ownsSession ? SystemCalls.spawnsSession : 0) | signals)

    var strings = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      unsafe strings.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    var child: pid_t = 0
    let failure = unsafe posix_spawn(&child, path, &actions, &attributes, &strings, &variables)
    return failure == 0 ? child : nil
  }
}
