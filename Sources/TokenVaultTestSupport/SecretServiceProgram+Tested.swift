import Foundation
package import TokenVaultKeyCustody

extension SecretServiceProgram {
  /// The programs that tests run: all, or those whose names TOKENVAULT_SECRET_SERVICES has.
  package static var tested: [SecretServiceProgram] {
    guard let names = ProcessInfo.processInfo.environment["TOKENVAULT_SECRET_SERVICES"] else {
      return [.gnomeKeyring, .kWallet, .keePassXC]
    }
    return names.split(separator: ",").map { name in
      switch name {
      case "gnome-keyring": .gnomeKeyring
      case "kwallet": .kWallet
      case "keepassxc": .keePassXC
      default: preconditionFailure("no Secret Service has the name \(name)")
      }
    }
  }
}
