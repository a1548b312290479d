import Glibc
import TokenVault
internal import TokenVaultCFront
import TokenVaultKeyCustody
import TokenVaultModel
import TokenVaultSystem

/// A stored token that needs neither a provider nor the user.
enum WarmToken {
  /// Prints the requested token.
  /// - Returns: the exit status; nil if nothing was printed or changed.
  static func print(_ request: WarmRequest) -> Int32? {
    // A secret with control characters is never written to a terminal; the full program checks it.
    guard isatty(STDOUT_FILENO) != 1, let line = line(request) else { return nil }
    do { try SystemCalls.writeAll(line, to: STDOUT_FILENO) } catch {
      // A part may have been written, so the full program must not begin again.
      Front.tell(
        "Cannot write to standard output: \(unsafe String(cString: strerror(error.errno))). "
          + "Stored accounts are not affected.\n"
          + "next: run the command again with its output to another place")
      return 74
    }
    return EXIT_SUCCESS
  }

  /// Hands over the connection that was opened before the runtime started.
  private static func offerBus() {
    let socket = tv_bus_socket()
    var length: UInt = 0
    guard socket >= 0, let path = unsafe tv_bus_path(&length) else { return }
    let bytes = unsafe Array(UnsafeRawBufferPointer(start: path, count: Int(length)))
    EarlyConnection.offer(socket, to: bytes)
  }

  private static func line(_ request: WarmRequest) -> [UInt8]? {
    offerBus()
    let surroundings = Surroundings.ofProcess()
    // Swift has put these in the place of bytes that are not UTF-8. The full program refuses them.
    for name in ["TOKENVAULT_ACCOUNT", "TOKENVAULT_GROUP", "TOKENVAULT_HOME"] {
      if surroundings.environment[name]?.unicodeScalars.contains("\u{fffd}") ?? false { return nil }
    }
    // The full program starts from the beginning and reports the error.
    do {
      var asksGit = false
      var situation = Situation {
        asksGit = true
        return nil
      }
      situation.directory = surroundings.workingDirectory
      situation.take(scopes: request.token.scopes, resource: request.token.resource)
      situation.tenant = request.token.tenantID
      var wanted = request.selection
      wanted.accountOfVariable = surroundings.environment["TOKENVAULT_ACCOUNT"].map {
        AccountReference(parsing: $0)
      }
      let selection = try wanted.select(in: surroundings, situation)
      // Only the full program runs git, and looks whether the account is denied.
      guard !asksGit, selection.denials.isEmpty else { return nil }
      var configuration = try surroundings.configuration(
        selection.group, vaultDirectory: request.selection.vaultDirectory)
      // Only the full program prompts, so that the user is asked once.
      configuration.allowsPrompt = false
      let result = try TokenCache(GroupSession(configuration)).token(
        request.token, of: selection.account)
      // The full program asks the provider for its successor.
      guard !result.isRefreshDue else { return nil }
      return result.accessToken.reveal() + [UInt8(ascii: "\n")]
    } catch { return nil }
  }
}
