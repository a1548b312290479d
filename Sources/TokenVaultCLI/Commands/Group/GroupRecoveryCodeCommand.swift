import ArgumentParser
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct GroupRecoveryCodeCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-code", abstract: "Create and print a recovery code.",
    discussion: """
      The code opens the group's file when its key is lost; anyone with the code and the file can \
      use it. It is shown only once. Write it on paper.

      A former code becomes invalid: every key of the group is replaced, as by `group rekey`. A \
      former code still opens a copy of the file from its time. The passphrase or key file stays \
      the same; the command asks for the passphrase even if the group is unlocked.

      EXAMPLES
        tokenvault group recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let made = try Recovery(vault, progress: RenewalMessages.progress()).makeRecoveryCode()
    let bytes = unsafe made.code.withUnsafeBytes { unsafe Array($0) }
    if global.json {
      try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("recoveryCode", String(decoding: bytes, as: UTF8.self))
        }
      }
    } else {
      try invocation.answer(bytes + [UInt8(ascii: "\n")])
    }
    for line in RenewalMessages.lines(made.report, vault.group) { invocation.tell(line) }
    if let left = made.report.left { throw left }
  }
}
