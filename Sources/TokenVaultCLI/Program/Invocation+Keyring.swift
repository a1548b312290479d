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
        "The former key of the group \(group) is still in the Secret Service: \(reason).",
        next: "in a session with that keyring: tokenvault list --group \(group), which tries again",
        code: general.code)
    }
    let ways = [
      error == .noBus ? session(custody != nil || options.wantsKeyring) : keyring(error),
      custody == nil && error != .locked ? creation(group) : nil,
      custody?.hasRecoveryCode == true
        ? "with its recovery code: tokenvault group rekey \(group) --recovery-code "
          + custodyOptions(group) : nil,
    ].compactMap(\.self)
    return Failure(
      general.status, "\(general.message) Nothing was changed.",
      next: ways.isEmpty ? general.next : ways.joined(separator: "; or "), code: general.code)
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
  private func session(_ hasFile: Bool) -> String? {
    guard hasFile else { return nil }
    let other = "log in to the desktop session with its keyring"
    guard Self.hasProgram("dbus-run-session"), Self.hasProgram(Self.gnome) else { return other }
    return "dbus-run-session -- bash -c '\(Self.unlocking()); exec bash', then "
      + Failure.again("there")
  }

  private func keyring(_ error: CustodyError) -> String {
    let isOnDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0] != nil }
    if isOnDesktop, error != .noService {
      if error == .locked, !options.mayAsk { return Failure.again("without --no-input") }
      let action = error == .locked ? "unlock it" : "set a default keyring"
      return "\(action) in Passwords and Keys (seahorse), then \(Failure.again())"
    }
    if Self.hasProgram(Self.gnome) {
      return "bash -c '\(Self.unlocking("--replace "))', then " + Failure.again()
    }
    if let other = ["kwalletd6", "kwalletd5", "keepassxc"].first(where: Self.hasProgram) {
      return "start and unlock \(other), then " + Failure.again()
    }
    return Self.hasProgram("apt-get")
      ? "sudo apt-get install gnome-keyring"
      : "install gnome-keyring or another Secret Service with the package manager of this system"
  }

  private static let gnome = "gnome-keyring-daemon"

  /// The daemon takes everything up to the end of its input as the password, a line end included.
  private static func unlocking(_ options: String = "") -> String {
    #"read -rsp "Keyring password: " p; echo; printf %s "$p" | "#
      + "\(gnome) \(options)--unlock >/dev/null 2>&1"
  }

  // MARK: No keyring

  private func creation(_ group: GroupName) -> String {
    if options.takesCustody {
      return "without a keyring: " + Failure.again("with " + custodyOptions(group))
    }
    return "without a keyring: tokenvault group create \(group) \(custodyOptions(group)), then "
      + Failure.again()
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
