import ArgumentParser

struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group", abstract: "Manage keychain groups.",
    discussion: """
      A group is one encrypted file of accounts. Its manifest names the tools that may open it and \
      the custody of its key. Commands take a group's name; without a name they use the selected \
      group (see --group). create, delete, backup and restore need a name.

      EXAMPLES
        tokenvault group create com.example.team --member deploy
        tokenvault group members com.example.team --add /opt/example/bin/report
        tokenvault group backup com.example.team ~/team.backup
      """,
    subcommands: [
      GroupListCommand.self, GroupCreateCommand.self, GroupShowCommand.self,
      GroupDeleteCommand.self, GroupMembersCommand.self, GroupRekeyCommand.self,
      GroupRecoveryCodeCommand.self, GroupVerifyCommand.self, GroupBackupCommand.self,
      GroupRestoreCommand.self, GroupUnlockCommand.self, GroupLockCommand.self,
    ])
}
