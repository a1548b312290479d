import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupBackupCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a group's encrypted file.",
    discussion: """
      The copy needs the group's present key. A sign-out or rekey destroys that key, so back up \
      again after one; what was signed out cannot be brought back.

      EXAMPLES
        tokenvault group backup ~/vault.backup
        tokenvault group backup /media/usb/team.backup --group com.example.team
      """)

  @Argument(help: "A file that does not exist yet.", completion: .file())
  var file: String
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try invocation.vaultInForce()
    let path = try invocation.absolute(file)
    guard !InputFile.exists(path) else { throw CommandError.fileExists(path: file) }
    try Backup(vault).write(to: path)
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("backup", path)
        }
      }
    }
    try invocation.answer("Copied the group \(vault.group) to \(PlainText.escaped(path)).")
  }
}

struct GroupRestoreCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in the place of a group.",
    discussion: """
      Only a backup of the group's present key can be restored: a sign-out made older ones \
      unreadable. Nothing is changed unless the backup opens and is sound.

      EXAMPLES
        tokenvault group restore ~/vault.backup
      """)

  @Argument(help: "The backup.", completion: .file())
  var file: String
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try invocation.vaultInForce()
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
