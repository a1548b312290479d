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
    var unprinted: (any Error)?
    let recovery = Recovery(vault, progress: invocation.progress(RenewalMessages.label))
    let report = try recovery.makeRecoveryCode { code in
      do { try print(code, of: vault, in: invocation) } catch { unprinted = error }
    }
    invocation.tell(
      "Write it on paper, and back up the group now: tokenvault group backup \(vault.group) FILE")
    for line in RenewalMessages.lines(report, vault.group) { invocation.tell(line) }
    if report.hadRecoveryCode {
      invocation.tell(
        "The former recovery code is no longer valid: it opens only copies of the file from before."
      )
    }
    if let error = unprinted ?? report.left { throw error }
  }

  private func print(
    _ code: borrowing SecretBytes, of vault: GroupSession, in invocation: Invocation
  ) throws {
    let bytes = unsafe code.withUnsafeBytes { unsafe Array($0) }
    guard global.json else { return try invocation.answer(bytes + [UInt8(ascii: "\n")]) }
    try invocation.answerJSON { writer in
      writer.object {
        $0.field("group", vault.group.description)
        $0.field("recoveryCode", String(decoding: bytes, as: UTF8.self))
      }
    }
  }
}
