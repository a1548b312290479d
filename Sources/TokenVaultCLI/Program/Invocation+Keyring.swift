import Glibc
import TokenVaultKeyCustody
import TokenVault
import TokenVaultModel

/// The ways out if the keyring cannot be used. Each command works on this machine as it is.
extension Invocation {
  /// The failure with a way out; nil for an error that has none on this machine.
  func keyringFailure(_ error: CustodyError, _ group: GroupName) -> Failure? {
    guard let reason = Self.reason(error) else { return nil }
    let general = Failure(VaultError.custody(error, group: group) as any Error)
    let custody = present(group)
    if let custody, custody.kind != .secretService, !options.wantsKeyring {
      return Failure(
        general.status,
        "The former key of the group \(group) is still in the Secret Service: \(reason). "
          + "Stored accounts are not affected.",
        next: "tokenvault list --group \(group)",
        note: "in a session with that keyring; it tries again", code: general.code)
    }
    var ways = [
      error == .noBus
        ? session(custody != nil || options.wantsKeyring) : keyring(error, program(group))
    ]
    if custody == nil, error != .locked { ways.append(creation(group)) }
    if custody?.hasRecoveryCode == true {
      ways.append(
        Way(
          "tokenvault group rekey \(group) --recovery-code \(custodyOptions(group))",
          condition: "with its recovery code"))
    }
    let found = ways.compactMap(\.self)
    // A group that does not exist yet has no key.
    let message =
      error == .noBus && (custody == nil || options.wantsKeyring)
      ? "A new key is kept in the Secret Service, and there is no session bus."
      : general.message.replacing(" Nothing was changed.", with: "")
    return Failure(
      general.status, message + (options.isDiagnosis ? "" : " Nothing was changed."),
      next: found.first?.command ?? general.next ?? Failure.doctor, note: Self.note(found),
      code: general.code)
  }

  /// A way out.
  private struct Way {
    /// The command, or an instruction.
    let command: String
    /// What remains to be done after the command.
    var after: String?
    /// When the way can be taken.
    var condition: String?

    init(_ command: String, after: String? = nil, condition: String? = nil) {
      (self.command, self.after, self.condition) = (command, after, condition)
    }
  }

  /// The lines below the first way.
  private static func note(_ ways: [Way]) -> String? {
    let lines =
      (ways.first?.after.map { [$0] } ?? [])
      + ways.dropFirst().map { way in
        "or \(way.condition.map { "\($0): " } ?? "")\(way.command)"
          + (way.after.map { ", \($0)" } ?? "")
      }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }

  private static func reason(_ error: CustodyError) -> String? {
    switch error {
    case .noBus: "there is no session bus"
    case .noService: "none is running"
    case .noDefaultCollection: "it has no default collection"
    case .locked: "it is locked"
    default: nil
    }
  }

  /// The custody of the file; nil if there is none.
  private func present(_ group: GroupName) -> (kind: GroupCustodyKind, hasRecoveryCode: Bool)? {
    // absent is an answer: a file that cannot be read is not described.
    do {
      let inspection = GroupInspection(GroupSession(try configuration(group)))
      return (try inspection.custody(), try inspection.hasRecoveryCode())
    } catch { return nil }
  }

  // MARK: A keyring

  /// A group with its key in a keyring needs that keyring: with its password it opens anywhere.
  private func session(_ hasFile: Bool) -> Way? {
    guard hasFile else { return nil }
    guard Self.hasProgram("dbus-run-session"), Self.hasProgram(Self.gnome) else {
      return Way("log in to the desktop session with its keyring")
    }
    return Way(
      "dbus-run-session -- bash -c '\(Self.unlocking()); exec bash'",
      after: "then \(Failure.again("there")). \(Self.wrongPassword)")
  }

  /// The program that is the Secret Service; nil for an unknown one, or none.
  private func program(_ group: GroupName) -> SecretServiceProgram? {
    // absent is an answer: without a configuration, no program is named.
    do {
      return GroupInspection(GroupSession(try configuration(group))).secretServiceStatus().program
    } catch { return nil }
  }

  private func keyring(_ error: CustodyError, _ program: SecretServiceProgram?) -> Way {
    let isOnDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] != nil }
    if isOnDesktop, error == .locked, !options.mayAsk {
      return Way(Failure.again("without --no-input"))
    }
    // Another program that owns the name is not replaced.
    let isForeign = program == .kWallet || program == .keePassXC
    if error != .noService, isOnDesktop || isForeign {
      return Way(Self.action(error, program), after: "then \(Failure.again())")
    }
    if Self.hasProgram(Self.gnome) {
      return Way(
        "bash -c '\(Self.unlocking("--replace "))'",
        after: "then \(Failure.again()). \(Self.wrongPassword)")
    }
    if let other = ["kwalletd6", "kwalletd5", "keepassxc"].first(where: Self.hasProgram) {
      return Way("start and unlock \(other)", after: "then \(Failure.again())")
    }
    return Way(
      Self.hasProgram("apt-get")
        ? "sudo apt-get install gnome-keyring"
        : "install gnome-keyring or another Secret Service with the package manager of this system")
  }

  private static func action(_ error: CustodyError, _ program: SecretServiceProgram?) -> String {
    switch (program, error == .locked) {
    case (.kWallet, true): "open the wallet in KWalletManager"
    case (.kWallet, false): "create a wallet in KWalletManager"
    case (.keePassXC, true): "unlock the database in KeePassXC"
    case (.keePassXC, false):
      "expose a group in KeePassXC (Database Settings, Secret Service Integration)"
    case (_, true): "unlock it in Passwords and Keys (seahorse)"
    case (_, false): "set a default keyring in Passwords and Keys (seahorse)"
    }
  }

  /// The daemon does not say so.
  private static let wrongPassword = "If the keyring is still locked, the password was wrong."

  private static let gnome = "gnome-keyring-daemon"

  /// The daemon takes everything up to the end of its input as the password, a line end included.
  private static func unlocking(_ options: String = "") -> String {
    #"read -rsp "Keyring password: " p; echo; printf %s "$p" | "#
      + "\(gnome) \(options)--unlock >/dev/null 2>&1"
  }

  // MARK: No keyring

  private func creation(_ group: GroupName) -> Way {
    let condition = "without a keyring"
    if options.takesCustody {
      return Way(Failure.again("with " + custodyOptions(group)), condition: condition)
    }
    return Way(
      "tokenvault group create \(group) \(custodyOptions(group))",
      after: options.isDiagnosis ? nil : "then \(Failure.again())", condition: condition)
  }

  /// The custody that works here: a passphrase is typed on a terminal.
  private func custodyOptions(_ group: GroupName) -> String {
    let canType = options.passphraseDescriptor != nil || options.mayAsk && Self.hasTerminal
    return canType ? "--custody passphrase" : "--custody key-file --key-file ~/.\(group).key"
  }

  private static var hasTerminal: Bool {
    let descriptor = unsafe open("/dev/tty", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }
}
