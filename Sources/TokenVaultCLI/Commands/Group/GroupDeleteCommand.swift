import ArgumentParser
import TokenVault
import TokenVaultModel

struct GroupDeleteCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a group and all its accounts permanently.",
    discussion: """
      The key is deleted first, which makes every copy of the file unreadable, except to someone who \
      has the passphrase, key file or recovery code from the time of the copy. The manifest stays.

      EXAMPLES
        tokenvault group delete com.example.team
      """)

  @Argument(
    help: "The group.", completion: .custom { _, _, _ in Completions.groups() })
  var name: String
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    var invocation = invocation
    invocation.options.group = name
    let vault = try invocation.vault(of: invocation.select(needsAccount: false))
    let deletion = GroupDeletion(vault)
    if try deletion.removeEmptyLog() {
      invocation.tell("Removed the empty log that a killed deletion left.")
    }
    try confirmation.require(
      try isDamaged(vault)
        ? "Delete the damaged file of the group \(vault.group)?"
        : "Delete the group \(vault.group) and every account in it?", in: invocation)
    try deletion.delete()
    if global.json {
      try invocation.answerJSON { $0.object { $0.field("deleted", name) } }
    } else {
      try invocation.answer("Deleted the group \(vault.group).")
    }
  }

  /// Whether not even the header of the group's file can be read.
  private func isDamaged(_ vault: GroupSession) throws -> Bool {
    do { _ = try GroupInspection(vault).header() } catch VaultError.store(.damaged, _),
      VaultError.store(.notAGroupFile, _)
    { return true }
    return false
  }
}
