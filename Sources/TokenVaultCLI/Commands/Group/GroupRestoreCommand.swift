import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupRestoreCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a group with a backup.",
    usage: "tokenvault group restore <name> <file> [<options>]",
    discussion: """
      The backup must have been made with the group's current key: a sign-out makes older backups \
      unreadable. The group is changed only if the backup can be opened and is sound.

      EXAMPLES
        tokenvault group restore com.example.team /media/usb/team.backup
      """)

  @OptionGroup var arguments: BackupArguments
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let (vault, file) = try arguments.resolve("restore", in: invocation)
    let path = try invocation.absolute(file)
    guard InputFile.exists(path) else {
      throw CommandError.input(path: file, errno: SystemMessage.noEntry)
    }
    let findings = try Backup(vault).restore(from: path)
    if global.json {
      return try invocation.answerJSON { findings.write(vault.group, to: &$0) }
    }
    try invocation.answer("Restored the group \(vault.group): \(findings.accounts) accounts.")
  }
}
