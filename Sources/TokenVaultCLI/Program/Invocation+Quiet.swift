import TokenVault
import TokenVaultModel

extension Invocation {
  /// The vault of a group, for commands that tell what they see: they ask for nothing and unlock
  /// nothing. A passphrase that the user passes is used.
  func vaultWithoutPrompt(of group: GroupName) throws(CommandError) -> GroupSession {
    var quiet = self
    quiet.options.mayAsk = false
    var configuration = try quiet.configuration(group)
    if options.passphraseDescriptor == nil { configuration.passphrase = nil }
    return GroupSession(configuration)
  }
}
