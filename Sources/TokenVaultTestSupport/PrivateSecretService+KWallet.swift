import Foundation

/// A session with KWallet, whose wallet is opened as at a login.
extension PrivateSecretService {
  /// PBKDF2 with SHA-512 of the password with ``salt``, 50,000 rounds: KWallet's key, which its PAM
  /// module computes at the login.
  private static let walletKey =
    "30,209,98,19,135,159,90,219,5,226,123,212,65,197,238,27,100,174,184,44,85,51,90,229,208,164,14,"
    + "70,74,24,156,31,133,88,128,42,8,199,220,151,69,220,26,95,172,126,185,29,67,243,12,155,98,196,"
    + "236,103"
  private static let salt = String(repeating: "x", count: 56)

  func writeWalletConfiguration() throws {
    let home = directory.appending(path: "home")
    for folder in [".config", ".local/share/kwalletd"] {
      try FileManager.default.createDirectory(
        at: home.appending(path: folder), withIntermediateDirectories: true)
    }
    try Data(
      """
      [Wallet]
      First Use=false
      [org.freedesktop.secrets]
      apiEnabled=true

      """.utf8
    ).write(to: home.appending(path: ".config/kwalletrc"))
    try Data(Self.salt.utf8)
      .write(to: home.appending(path: ".local/share/kwalletd/kdewallet.salt"))
  }

  /// Starts the daemon and opens the wallet, which it creates if there is none.
  package func startKWallet() throws {
    let wallet = directory.appending(path: "home/.local/share/kwalletd/kdewallet.kwl")
    if !FileManager.default.fileExists(atPath: wallet.path) {
      try writeWalletConfiguration()
      daemon = try start(["kwalletd5"])
      try waitUntil(.noCollection) { $0.hasDefaultCollection == false }
      try openWallet()
      // The daemon offers a wallet that was created at the login from its next start on.
      try killDaemon()
    }
    daemon = try start(["kwalletd5"])
    try waitUntil(.locked) { $0.isLocked == true }
    try openWallet()
    try waitUntil(.unlocked) { $0.failure == nil }
  }

  func openWallet() throws {
    try tellKWallet("pamOpen", "string:kdewallet", "array:byte:\(Self.walletKey)", "int32:0")
  }

  /// Closes a wallet that only the login has used. Its collection counts as locked, so that it cannot be
  /// locked.
  func closeWallet() throws {
    try tellKWallet("close", "string:kdewallet", "boolean:true")
    try waitUntil(.locked) { $0.isLocked == true }
  }

  private func tellKWallet(_ method: String, _ arguments: String...) throws {
    try run(
      [
        "dbus-send", "--bus=\(busAddress)", "--print-reply", "--dest=org.kde.kwalletd5",
        "/modules/kwalletd5", "org.kde.KWallet.\(method)",
      ] + arguments)
  }
}
