import Glibc
import TokenVaultSystem

/// Starts desktop programs for the user.
enum DetachedProgram {
  /// Starts a program, detached from the terminal and without output. It inherits no descriptor.
  /// - Parameter environment: the program's environment, whose `PATH` is searched for the program.
  /// - Returns: the child process; nil if there is no such program.
  static func start(_ arguments: [String], environment: [String: String]) -> pid_t? {
    ChildProgram.start(arguments, environment: environment, ownsSession: true)
  }

  /// Waits for a running child on another thread, so that it does not become a zombie. If there can be
  /// no further thread, it is one until this process ends.
  static func reapLater(_ child: pid_t) {
    _ = WorkerThread.start {
      while waitpid(child, nil, 0) == -1, errno == EINTR { continue }
    }
  }
}
