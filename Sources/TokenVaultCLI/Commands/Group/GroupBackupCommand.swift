import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupBackupCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a group's encrypted file.",
    usage: "tokenvault group backup <name> <file> [<options>]",
    discussion: """
      FILE must not exist yet. The copy can be read only with the group's current key. A sign-out or rekey destroys that \
      key, so back up again afterwards; a signed-out account cannot be restored.

      With the Secret Service, one part of the key is in the keyring and the other in \
      ~/.local/state/tokenvault/device-keys. To use the backup on another machine, or after this \
      directory is lost, you need a recovery code: see `tokenvault group recovery-code`.

      EXAMPLES
        tokenvault group backup com.example.team /media/usb/team.backup
      """)

  @OptionGroup var arguments: BackupArguments
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let (vault, file) = try arguments.resolve("backup", in: invocation)
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
    try invocation.answer("Backed up the group \(vault.group) to \(PlainText.escaped(path)).")
  }
}
