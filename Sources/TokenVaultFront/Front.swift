import Glibc
import TokenVaultSystem

/// The entry point.
enum Front {
  /// Prints the token that the process's arguments request, or runs the full program.
  static func main() -> Never {
    if isItsOwnName, let request = WarmRequest(arguments()) {
      StandardStreams.hold()
      // The full program reports the failure, before it reads anything secret.
      do { try SystemCalls.makeUndumpable() } catch { FullProgram.run() }
      if let status = WarmToken.print(request) { _exit(status) }
    }
    FullProgram.run()
  }

  /// Under another name, the program is a credential helper with other arguments.
  private static var isItsOwnName: Bool {
    guard let name = unsafe CommandLine.unsafeArgv[0] else { return false }
    let path = unsafe String(cString: name)
    return path == "tokenvault" || path.hasSuffix("/tokenvault")
  }

  /// The arguments after the program's name; none if one is not UTF-8, since Swift would replace
  /// the bytes, and the text would name another account or file.
  private static func arguments() -> [String] {
    var arguments: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let bytes = unsafe CommandLine.unsafeArgv[index],
        let text = unsafe String(validatingCString: bytes)
      else { return [] }
      // Other commands need not wait for the rest.
      if index == 1, text != "token" { return [] }
      arguments.append(text)
    }
    return arguments
  }

  /// Writes an error to standard error, as the full program writes its own.
  static func tell(_ message: String) {
    bestEffort("there is no other place to report it") {
      try SystemCalls.writeAll(Array("tokenvault: \(message)\n".utf8), to: STDERR_FILENO)
    }
  }
}
