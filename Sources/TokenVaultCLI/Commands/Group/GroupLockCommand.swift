import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupLockCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Remove a group's key from the kernel keyring.",
    discussion: """
      EXAMPLES
        tokenvault group lock
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let wasUnlocked = try KernelUnlock(vault).lock()
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("wasUnlocked", wasUnlocked)
        }
      }
    }
    try invocation.answer(
      wasUnlocked
        ? "The group \(vault.group) is locked."
        : "The group \(vault.group) was already locked.")
  }
}
