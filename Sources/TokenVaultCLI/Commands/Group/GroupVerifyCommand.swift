import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupVerifyCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check every byte of a group's file.",
    discussion: """
      EXAMPLES
        tokenvault group verify
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let findings = try GroupInspection(vault)
      .verify(progress: invocation.progress("Checking accounts"))
    if global.json {
      try invocation.answerJSON { findings.write(vault.group, to: &$0) }
    } else if findings.isSound {
      try invocation.answer(
        "\(vault.group) is sound: \(findings.accounts.counted("account")), "
          + "\(findings.credentials.counted("credential")).")
    }
    guard findings.isSound else { throw CommandError.notSound(findings, group: vault.group) }
  }
}
