import Glibc
import TokenVaultSystem

/// Starts desktop programs for the user.
enum DetachedProgram {
  /// Starts a program, detached from the terminal and without output. It inherits no descriptor.
  /// - Parameter environment: the program's environment, whose `PATH` is searched for the program.
  /// - Returns: the child process; nil if there is no such program.
  static func start(_ arguments: [String], environment: [String: String]) -> pid_t? {
    guard let program = arguments.first, !program.isEmpty else { return nil }
    let places =
      program.contains("/")
      ? [program]
      : (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        .map { "\($0)/\(program)" }
    for place in places {
      if let child = spawn(place, arguments, environment) { return child }
    }
    return nil
  }

  private static func spawn(
    _ path: String, _ arguments: [String], _ environment: [String: String]
  ) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for descriptor in Int32(0)...2 {
      unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // The descriptor of a passphrase, which a shell passed on, and sockets of libraries are not
    // close-on-exec.
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
    // A session of its own, so that Ctrl-C at the terminal does not end the browser.
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

  /// Waits for a running child on another thread, so that it does not become a zombie.
  static func reapLater(_ child: pid_t) {
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
