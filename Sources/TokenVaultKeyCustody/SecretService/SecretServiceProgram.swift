import Glibc
internal import TokenVaultSystem

/// A program that offers the Secret Service.
package enum SecretServiceProgram: Sendable {
  /// gnome-keyring.
  case gnomeKeyring
  /// KWallet of KDE.
  case kWallet
  /// KeePassXC.
  case keePassXC

  /// The owner of the service's name, by the name that the kernel has for its process; nil for an
  /// unknown one.
  init?(_ bus: inout SessionBus) throws(CustodyError) {
    let owner = bus.call(.bus("GetConnectionUnixProcessID", "s")) {
      $0.string(DBusCall.secretService)
    }
    var answer = try bus.reply(to: owner, "u")
    let process = try answer.uint32()
    switch Self.name(of: process) {
    // The kernel keeps 15 bytes of a name.
    case "gnome-keyring-d\n": self = .gnomeKeyring
    case "kwalletd5\n", "kwalletd6\n": self = .kWallet
    case "keepassxc\n": self = .keePassXC
    default: return nil
    }
  }

  private static func name(of process: UInt32) -> String? {
    do throws(SystemCallError) {
      let descriptor = try SystemCalls.open("/proc/\(process)/comm", O_RDONLY)
      defer { close(descriptor) }
      return try SystemCalls.readAll(descriptor, limit: 64).map {
        String(decoding: $0, as: UTF8.self)
      }
      // absent is an answer: the process has ended.
    } catch { return nil }
  }
}
