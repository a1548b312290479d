import Glibc
import TokenVaultSystem

/// The program that knows every command: `libexec/tokenvault/tokenvault`, beside the directory of
/// this executable.
enum FullProgram {
  /// Replaces this process by the full program, with the same arguments and environment.
  static func run() -> Never {
    guard let path = path() else { fail("/proc/self/exe names no directory of the full program") }
    unsafe execv(path, CommandLine.unsafeArgv)
    fail("\(path) cannot be run: \(unsafe String(cString: strerror(errno)))")
  }

  /// From the path of this executable according to the kernel, so that neither PATH nor an argument
  /// names another program.
  private static func path() -> String? {
    guard let own = unsafe realpath("/proc/self/exe", nil) else { return nil }
    defer { unsafe free(own) }
    let parts = unsafe String(cString: own).split(separator: "/", omittingEmptySubsequences: false)
    // Of an executable in the root directory, a path relative to the working directory would be left.
    guard parts.count > 2 else { return nil }
    return (parts.dropLast(2) + ["libexec", "tokenvault", "tokenvault"]).joined(separator: "/")
  }

  private static func fail(_ reason: String) -> Never {
    Front.tell("\(reason). Nothing was changed.\nnext: install TokenVault again")
    _exit(1)
  }
}
