import ArgumentParser
import Glibc
import TokenVault
import TokenVaultCrypto
import TokenVaultModel

struct GroupRekeyCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "rekey", abstract: "Give a group a new key, or another custody.",
    discussion: """
      Copies of the file that were made before cannot be read any more, and a recovery code ends. \
      With --recovery-code the group is opened with its code, when its key is lost.

      EXAMPLES
        tokenvault group rekey
        tokenvault group rekey --custody passphrase
        tokenvault group rekey --recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup var custody: CustodyOptions
  @Flag(help: "Open the group with its recovery code, asked for or read from standard input.")
  var recoveryCode = false
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let chosen = try custody.chosen(invocation)
    if recoveryCode {
      try Recovery(vault).open(recoveryCode: Self.readCode(invocation, vault.group))
    } else {
      // A group that does not open is told before there is anything to take back.
      try vault.read { _ in }
    }
    let left = try Rekey(vault).run(to: chosen)
    let made = try GroupInspection(vault).describe()
    if global.json {
      try invocation.answerJSON { made.write(to: &$0) }
    } else {
      try invocation.answer(
        "The group \(vault.group) has a new key, custody \(made.custody?.word ?? "-").")
    }
    if let left { throw left }
  }

  private static func readCode(
    _ invocation: Invocation, _ group: GroupName
  ) throws -> SecretBytes {
    if isatty(STDIN_FILENO) != 1 {
      guard let line = try PassphraseReading.line(of: STDIN_FILENO) else {
        throw VaultError.invalid(.recoveryCode)
      }
      return line
    }
    guard invocation.options.mayAsk,
      let typed = try PassphraseReading.hidden("Recovery code of \(group): ")
    else { throw VaultError.custody(.passphraseRequired, group: group) }
    return typed
  }
}

struct GroupRecoveryCodeCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery-code", abstract: "Make and print a recovery code.",
    discussion: """
      Who has the code and the file can open the group when its key is lost. It is shown this \
      once; a former one ends. Write it on paper.

      EXAMPLES
        tokenvault group recovery-code
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let code = try Recovery(vault).makeRecoveryCode()
    let bytes = unsafe code.withUnsafeBytes { unsafe Array($0) }
    if global.json {
      try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("recoveryCode", String(decoding: bytes, as: UTF8.self))
        }
      }
    } else {
      try invocation.answer(bytes + [UInt8(ascii: "\n")])
    }
  }
}

struct GroupUnlockCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Keep a group's key in the kernel keyring for a time.",
    discussion: """
      A passphrase is then asked for once, and a group of the keyring opens without it, also while \
      the keyring is locked. The key is gone when the time is over, with `group lock`, and when the \
      machine stops.

      EXAMPLES
        tokenvault group unlock --for 8h
      """)

  @OptionGroup var argument: GroupArgument
  @Option(name: .customLong("for"), help: "How long: 30m, 8h, 2d.")
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
      "The group \(vault.group) stays unlocked; this ends \(end.relative(to: invocation.now)).")
  }
}

struct GroupLockCommand: VaultCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Take a group's key out of the kernel keyring.",
    discussion: """
      EXAMPLES
        tokenvault group lock
      """)

  @OptionGroup var argument: GroupArgument
  @OptionGroup(title: "Global options") var global: GlobalOptions

  func run(in invocation: Invocation) throws {
    let vault = try argument.vault(in: invocation)
    let was = try KernelUnlock(vault).lock()
    if global.json {
      return try invocation.answerJSON { writer in
        writer.object {
          $0.field("group", vault.group.description)
          $0.field("wasUnlocked", was)
        }
      }
    }
    try invocation.answer(
      was ? "The group \(vault.group) is locked." : "The group \(vault.group) was locked already.")
  }
}
