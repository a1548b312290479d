import ArgumentParser
import Glibc
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct GroupRekeyCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Give a group a new key, or another custody.",
    discussion: """
      Copies of the file made before can no longer be read, and the recovery code becomes invalid. \
      With --recovery-code the group is opened with its recovery code, for a group whose key is \
      lost.

      EXAMPLES
        tokenvault group rekey
        tokenvault group rekey --custody passphrase
        tokenvault group rekey --recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup var custody: CustodyOptions
  @Flag(help: "Open the group with its recovery code, from a prompt or standard input.")
  var recoveryCode = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let chosen = try custody.chosen(invocation)
    if recoveryCode {
      try Recovery(vault).open(recoveryCode: Self.readCode(invocation, vault.group))
    } else {
      // A group that cannot be opened fails before there is anything to undo.
      try vault.read { _ in }
    }
    let left = try Rekey(vault).run(to: chosen)
    let made = try GroupInspection(vault).describe()
    if global.json {
      try invocation.answerJSON { made.write(to: &$0) }
    } else {
      try invocation.answer(
        "The group \(vault.group) has a new key, custody \(made.custody?.word ?? "-").")
    }
    if let left { throw left }
  }

  private static func readCode(
    _ invocation: Invocation, _ group: GroupName
  ) throws -> SecretBytes {
    if isatty(STDIN_FILENO) != 1 {
      guard let line = try PassphraseReading.line(of: STDIN_FILENO) else {
        throw VaultError.invalid(.recoveryCode)
      }
      return line
    }
    guard invocation.options.mayAsk,
      let typed = try PassphraseReading.hidden("Recovery code for \(group): ")
    else { throw VaultError.custody(.passphraseRequired, group: group) }
    return typed
  }
}
