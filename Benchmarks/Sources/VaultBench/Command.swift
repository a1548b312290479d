import Glibc

/// A program that runs to its end, with its output discarded.
struct Command {
  struct Failed: Error {
    let arguments: [String]
    let status: Int32
  }

  let arguments: [String]

  init(_ arguments: String...) { self.arguments = arguments }

  func callAsFunction() throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var child: pid_t = 0
    guard posix_spawnp(&child, arguments[0], &actions, nil, &argv, environ) == 0 else {
      throw Failed(arguments: arguments, status: -1)
    }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw Failed(arguments: arguments, status: status) }
  }
}
