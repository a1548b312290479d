/// Who may import whom. SwiftPM lets a target import whatever happens to be built, so the
/// walls of docs/architecture.md stand here.
enum ImportTable {
  /// What each room under Sources and Examples may import.
  static let allowed: [String: Set<String>] = [
    // Doors to C.
    "TokenVaultCOpenSSL": [], "TokenVaultCSQLite": [], "TokenVaultCLibsecret": [],
    "TokenVaultCSecretService": [], "TokenVaultCSystem": [],
    "TokenVaultCCurl": [], "TokenVaultCQRCode": [],
    // The vault.
    "TokenVaultCrypto": ["TokenVaultCOpenSSL", "Glibc", "Synchronization"],
    "TokenVaultModel": [],
    "TokenVaultSystem": ["TokenVaultCSystem", "Glibc", "Synchronization"],
    "TokenVaultGroupStore": [
      "TokenVaultCSQLite", "Glibc", "Synchronization", "TokenVaultSystem", "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    "TokenVaultKeyCustody": [
      "TokenVaultCSecretService", "Dispatch", "Glibc", "Synchronization", "TokenVaultSystem",
      "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    // Signing in.
    "TokenVaultSignIn": [
      "Dispatch", "Glibc", "Synchronization", "TokenVaultSystem", "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    "TokenVaultSignInTransport": [
      "TokenVaultCCurl", "Glibc", "TokenVaultSignIn", "Synchronization", "TokenVaultSystem",
    ],
    "TokenVault": [
      "Dispatch", "FoundationEssentials", "Glibc", "TokenVaultGroupStore", "TokenVaultKeyCustody",
      "TokenVaultSignIn",
      "Synchronization", "TokenVaultSystem", "TokenVaultCrypto", "TokenVaultModel",
    ],
    // The programs people run.
    "TokenVaultCLI": [
      "ArgumentParser", "TokenVaultCQRCode", "Dispatch", "FoundationEssentials", "Glibc",
      "TokenVaultKeyCustody",
      "TokenVaultSignIn",
      "TokenVaultSignInTransport", "Synchronization", "TokenVaultSystem", "TokenVault",
      "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    "TokenVaultProgram": ["TokenVaultCLI"],
    // What a tool of somebody else would write.
    "GroupMember": ["Foundation", "TokenVault"],
    "GraphSample": ["Foundation", "TokenVaultSignInTransport", "TokenVault"],
    // For demos and tests; nothing that is shipped imports it.
    "TokenVaultIdentityProvider": [
      "Foundation", "Glibc", "TokenVaultSignIn", "Synchronization", "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    "tokenvault-idp": ["Foundation", "TokenVaultIdentityProvider", "TokenVaultModel"],
    // For tests only; nothing that is shipped imports it.
    "TokenVaultTestSupport": [
      "Foundation", "FoundationEssentials", "Glibc", "TokenVaultGroupStore", "TokenVaultKeyCustody",
      "TokenVaultSignIn",
      "TokenVaultSignInTransport", "Synchronization", "TokenVaultSystem", "Testing", "TokenVault",
      "TokenVaultCrypto",
      "TokenVaultModel",
    ],
  ]

  /// Modules with a single importer, whose types stay behind it.
  static let doors: Set<String> = [
    "TokenVaultCOpenSSL", "TokenVaultCSQLite", "TokenVaultCLibsecret", "TokenVaultCSecretService",
    "TokenVaultCSystem", "TokenVaultCCurl", "TokenVaultCQRCode",
  ]

  /// Headers of each door to C, by what their path begins with. The C library and the
  /// kernel are open to all of them.
  static let headers: [String: Set<String>] = [
    "libsecret/": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "glib": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "gio/": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "openssl/": ["TokenVaultCOpenSSL"],
    "sqlite3": ["TokenVaultCSQLite"],
    "curl/": ["TokenVaultCCurl"],
    "qrencode": ["TokenVaultCQRCode"],
    "dbus/": [],
    "systemd/": [],
  ]

  /// Rooms of the cold path: Foundation costs a program that never calls it about 1 ms.
  static let withoutFoundation: Set<String> = [
    "TokenVaultCrypto", "TokenVaultModel", "TokenVaultSystem", "TokenVaultGroupStore",
    "TokenVaultKeyCustody", "TokenVaultSignIn",
    "TokenVaultSignInTransport",
  ]

  /// The rooms that may touch the process they run in: environment, output, exit.
  static let programs: Set<String> = [
    "TokenVaultCLI", "TokenVaultProgram", "tokenvault-idp", "GroupMember", "GraphSample",
  ]
}
