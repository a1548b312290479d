import ArgumentParser
import Glibc
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct GroupRekeyCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Give a group new keys, or another custody.",
    discussion: """
      Replaces every key of the group and encrypts every row again, so that a leaked passphrase, \
      key file, recovery code or key no longer opens the file. A group with a passphrase asks \
      for a new one. A key file that tokenvault made gets new content; --key-file names another \
      file, which is created, or used as it is. The recovery code becomes invalid.

      Copies of the file from before are not changed. The passphrase, key file, recovery code or \
      key of their time still opens them, and the tokens in them stay valid until they expire or \
      the provider revokes them. To replace these tokens, sign out and in again.

      The command waits up to 60 s for token requests of other processes. With --recovery-code the \
      group is opened with its recovery code, from the terminal or standard input, for a group whose \
      key is lost.

      EXAMPLES
        tokenvault group rekey
        tokenvault group rekey --custody passphrase
        tokenvault group rekey --key-file ~/.config/keys/new
        tokenvault group rekey --recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup var custody: CustodyOptions
  @OptionGroup var code: RecoveryCodeOptions
  @OptionGroup(title: "Global options") var global: GlobalOptions

  var custodyOptions: CustodyOptions? { custody }

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let chosen = try custody.chosen(invocation)
    if code.isGiven {
      try Recovery(vault).open(recoveryCode: readCode(invocation, vault.group))
    } else {
      // A group that cannot be opened fails before there is anything to undo.
      try vault.read { _ in }
    }
    let report = try Rekey(vault, progress: invocation.progress(RenewalMessages.label)).run(
      to: chosen)
    let made = try GroupInspection(vault).describe()
    if global.json {
      try invocation.answerJSON { made.write(to: &$0) }
    } else {
      try invocation.answer(
        "The group \(vault.group) has a new key, custody \(made.custody?.word ?? "-").")
    }
    for line in RenewalMessages.lines(report, vault.group) { invocation.tell(line) }
    if report.hadRecoveryCode {
      invocation.tell(
        "The recovery code is no longer valid. To make a new one: "
          + "tokenvault group recovery-code \(vault.group)")
    }
    if let left = report.left { throw left }
  }

  /// Without a descriptor, a code may also come from standard input.
  private func readCode(_ invocation: Invocation, _ group: GroupName) throws -> SecretBytes {
    guard code.recoveryCodeFd == nil, isatty(STDIN_FILENO) != 1 else {
      return try code.read(group, in: invocation)
    }
    guard let line = try PassphraseReading.line(of: STDIN_FILENO) else {
      throw VaultError.invalid(.recoveryCode)
    }
    return line
  }
}
