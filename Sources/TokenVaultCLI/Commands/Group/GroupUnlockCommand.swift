import ArgumentParser
import TokenVault
import TokenVaultModel
import TokenVaultSignIn

struct GroupUnlockCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Keep a group's key in the kernel keyring for a limited time.",
    discussion: """
      During this time a group with a passphrase opens without a prompt, and a group with a key in \
      the Secret Service opens even while the keyring is locked. The key is removed when the time is \
      over, by `group lock`, and when the machine stops.

      EXAMPLES
        tokenvault group unlock --for 8h
      """)

  @OptionGroup var argument: GroupArgument
  @Option(name: .customLong("for"), help: "How long, as in 30m, 8h or 2d.")
  var time = "8h"
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    guard let time = Duration(time), time.seconds > 0 else { throw CommandError.badDuration(time) }
    let vault = try argument.vault(in: invocation)
    try KernelUnlock(vault).unlock(seconds: UInt32(time.seconds))
    let end = invocation.now.advanced(by: time.seconds)
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("unlockedUntil", end.iso8601)
        }
      }
    }
    try invocation.answer(
      "The group \(vault.group) is unlocked and locks again \(end.relative(to: invocation.now)).")
  }
}
