import ArgumentParser
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct GroupRecoveryCodeCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-code", abstract: "Create and print a recovery code.",
    discussion: """
      The code opens the group's file when its key is lost; anyone with the code and the file can \
      use it. It is shown only once, and a former code becomes invalid. Write it on paper.

      EXAMPLES
        tokenvault group recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let code = try Recovery(vault).makeRecoveryCode()
    let bytes = unsafe code.withUnsafeBytes { unsafe Array($0) }
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
  }
}
