/// Who may import whom. SwiftPM lets a target import whatever happens to be built, so the
/// walls of docs/architecture.md stand here.
enum ImportTable {
  /// What each room under Sources and Examples may import.
  static let allowed: [String: Set<String>] = [
    // Doors to C.
    "COpenSSL": [], "CSQLite": [], "CLibsecret": [], "CSecretService": [], "CSystem": [],
    "CCurl": [], "CQRCode": [],
    // The vault.
    "VaultCrypto": ["COpenSSL", "Glibc", "Synchronization"],
    "VaultModel": [],
    "SystemCalls": ["CSystem", "Glibc", "Synchronization"],
    "GroupStore": [
      "CSQLite", "Glibc", "Synchronization", "SystemCalls", "VaultCrypto", "VaultModel",
    ],
    "KeyCustody": [
      "CSecretService", "Dispatch", "Glibc", "Synchronization", "SystemCalls", "VaultCrypto",
      "VaultModel",
    ],
    // Signing in.
    "SignIn": ["Glibc", "Synchronization", "VaultCrypto", "VaultModel"],
    "SignInTransport": [
      "CCurl", "Glibc", "SignIn", "Synchronization", "SystemCalls",
    ],
    "TokenVault": [
      "Dispatch", "FoundationEssentials", "Glibc", "GroupStore", "KeyCustody", "SignIn",
      "Synchronization", "SystemCalls", "VaultCrypto", "VaultModel",
    ],
    // The programs people run.
    "TokenVaultCLI": [
      "ArgumentParser", "CQRCode", "Dispatch", "FoundationEssentials", "Glibc", "KeyCustody",
      "SignIn",
      "SignInTransport", "Synchronization", "SystemCalls", "TokenVault", "VaultCrypto",
      "VaultModel",
    ],
    "tokenvault": ["TokenVaultCLI"],
    // What a tool of somebody else would write.
    "GroupMember": ["Foundation", "TokenVault"],
    "GraphSample": ["Foundation", "SignInTransport", "TokenVault"],
    // For demos and tests; nothing that is shipped imports it.
    "IdentityProvider": [
      "Foundation", "Glibc", "SignIn", "Synchronization", "VaultCrypto", "VaultModel",
    ],
    "tokenvault-idp": ["Foundation", "IdentityProvider", "VaultModel"],
    // For tests only; nothing that is shipped imports it.
    "TokenVaultTestSupport": [
      "Foundation", "FoundationEssentials", "Glibc", "GroupStore", "KeyCustody", "SignIn",
      "SignInTransport", "Synchronization", "SystemCalls", "Testing", "TokenVault", "VaultCrypto",
      "VaultModel",
    ],
  ]

  /// Modules with a single importer, whose types stay behind it.
  static let doors: Set<String> = [
    "COpenSSL", "CSQLite", "CLibsecret", "CSecretService", "CSystem", "CCurl", "CQRCode",
  ]

  /// Headers of each door to C, by what their path begins with. The C library and the
  /// kernel are open to all of them.
  static let headers: [String: Set<String>] = [
    "libsecret/": ["CLibsecret", "CSecretService"],
    "glib": ["CLibsecret", "CSecretService"],
    "gio/": ["CLibsecret", "CSecretService"],
    "openssl/": ["COpenSSL"],
    "sqlite3": ["CSQLite"],
    "curl/": ["CCurl"],
    "qrencode": ["CQRCode"],
    "dbus/": [],
    "systemd/": [],
  ]

  /// Rooms of the cold path: Foundation costs a program that never calls it about 1 ms.
  static let withoutFoundation: Set<String> = [
    "VaultCrypto", "VaultModel", "SystemCalls", "GroupStore", "KeyCustody", "SignIn",
    "SignInTransport",
  ]

  /// The rooms that may touch the process they run in: environment, output, exit.
  static let programs: Set<String> = [
    "TokenVaultCLI", "tokenvault", "tokenvault-idp", "GroupMember", "GraphSample",
  ]
}
