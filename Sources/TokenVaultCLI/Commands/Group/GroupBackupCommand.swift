import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupBackupCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy a group's encrypted file.",
    usage: "tokenvault group backup <name> <file> [<options>]",
    discussion: """
      FILE must not exist yet. The copy can be read with the keys of today: the group's key, its \
      passphrase or key file, and its recovery code. A sign-out or rekey destroys the group's key, \
      and `group restore` refuses a copy from before a sign-out, so back up again afterwards.

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
    guard !file.isEmpty else {
      throw CommandError.groupNotNamed(form: "tokenvault group backup \(vault.group) FILE")
    }
    let path = try invocation.absolute(file)
    guard !InputFile.exists(path) else { throw CommandError.fileExists(path: file) }
    let directory = path.lastIndex(of: "/").map { String(path[..<$0]) + "/." } ?? "."
    guard InputFile.exists(directory) else {
      throw CommandError.fileNotMade(path: file, errno: SystemMessage.noEntry)
    }
    let keys: Backup.Keys
    do { keys = try Backup(vault).write(to: path) } catch {
      // Another process may have written it since.
      guard !InputFile.exists(path) else { throw CommandError.fileExists(path: file) }
      // The error may be about the file of the group, or about the copy.
      guard InputFile.exists(vault.configuration.groupPath),
        let code = OutputFile.obstacle(to: path)
      else { throw error }
      throw CommandError.fileNotMade(path: file, errno: code)
    }
    if keys.isShortLived {
      invocation.tell(
        "Note: the group \(vault.group) has no recovery code. The next sign-out or rekey, or the "
          + "loss of the keyring, makes this copy unreadable. Make a code, then back up again: "
          + "tokenvault group recovery-code \(vault.group)")
    } else if keys.hasRecoveryCode {
      invocation.tell(
        "On another machine: tokenvault group restore \(vault.group) FILE --recovery-code")
    }
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
