import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupRestoreCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Replace a group with a backup.",
    usage: "tokenvault group restore <name> <file> [<options>]",
    discussion: """
      NAME is the group that the backup was made of. The backup opens with the key, passphrase or \
      key file that the group had then: on another machine, or after the keyring is lost, with its \
      recovery code. The group then gets new keys in this machine's keyring, or in another custody, \
      and the recovery code becomes invalid.

      If the group has accounts, the command prints what the backup does not have, and asks. A \
      backup from before a sign-out is refused: a signed-out account does not come back. With --as, \
      the content goes to a new group with keys of its own, and the group NAME is not changed.

      EXAMPLES
        tokenvault group restore com.example.team /media/usb/team.backup
        tokenvault group restore com.example.team team.backup --dry-run
        tokenvault group restore com.example.team team.backup --recovery-code
        tokenvault group restore com.example.team team.backup --as com.example.copy
      """)

  @OptionGroup var arguments: BackupArguments
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp("Restore into this new group, with keys of its own.", valueName: "other"))
  var other: String?
  @OptionGroup var code: RecoveryCodeOptions
  @OptionGroup var custody: CustodyOptions
  @Flag(help: "Open and compare the backup, and change nothing.")
  var dryRun = false
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func validate() throws {
    if custody.custody != nil, other == nil, !code.isGiven {
      throw ValidationError("--custody needs --recovery-code or --as.")
    }
  }

  var custodyOptions: CustodyOptions? { custody }

  func run(in invocation: Invocation) throws {
    let (selected, file) = try arguments.resolve("restore", in: invocation)
    let target = try other.map { text throws(CommandError) in
      guard let name = GroupName(text) else { throw .badGroupName(text, from: .option) }
      return name
    }
    let path = try invocation.absolute(file)
    guard InputFile.exists(path) else {
      throw CommandError.input(path: file, errno: SystemMessage.noEntry)
    }
    var configuration = selected.configuration
    let chosen = try custody.chosen(invocation)
    if case .keyFile(let path)? = chosen, target == nil, !code.isGiven {
      configuration.keyFile = path
    }
    // A new passphrase is read before anything is changed.
    let memory = PassphraseMemory(configuration.passphrase)
    if code.isGiven { configuration.passphrase = { [memory] in try memory.answer($0) } }
    let work = RestoreWork(
      vault: GroupSession(configuration), file: file, code: code, custody: chosen, memory: memory,
      invocation: invocation)
    let restore = try work.open(path, replacing: target == nil)
    if dryRun { return try work.tellDryRun(restore, as: target) }
    if let target { return try work.fill(GroupSession(invocation.configuration(target)), restore) }
    if restore.loss.isPossible {
      work.tellLoss(restore.loss)
      try confirmation.require(work.question(restore), in: invocation)
    }
    try work.replace(restore)
  }
}
