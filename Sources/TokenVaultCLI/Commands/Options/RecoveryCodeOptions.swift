import ArgumentParser
import TokenVaultCrypto
import TokenVaultModel

/// The ways to give a recovery code. It is never an argument, because other users can see arguments.
struct RecoveryCodeOptions: ParsableArguments {
  @Flag(help: "Open the group with its recovery code, which is asked for on the terminal.")
  var recoveryCode = false
  @Option(
    help: ArgumentHelp(
      "The same, with the recovery code from this file descriptor.", valueName: "n"))
  var recoveryCodeFd: Int32?

  var isGiven: Bool { recoveryCode || recoveryCodeFd != nil }

  /// Reads the code from the descriptor, or asks for it on the controlling terminal.
  func read(_ group: GroupName, in invocation: Invocation) throws -> SecretBytes {
    if let recoveryCodeFd {
      guard
        let line = try PassphraseReading.line(of: recoveryCodeFd, option: "--recovery-code-fd")
      else { throw CommandError.recoveryCodeNotGiven(group) }
      return line
    }
    guard invocation.options.mayAsk,
      let typed = try PassphraseReading.hidden("Recovery code for \(group): ")
    else { throw CommandError.recoveryCodeNotGiven(group) }
    return typed
  }
}
