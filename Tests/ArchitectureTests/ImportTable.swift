/// The modules that each target may import. SwiftPM lets a target import any module that happens to be built, so
/// the layers of docs/architecture.md are enforced here.
enum ImportTable {
  /// For each target under Sources and Examples, the modules that it may import.
  static let allowed: [String: Set<String>] = [
    // C modules.
    "TokenVaultCOpenSSL": [], "TokenVaultCSQLite": [], "TokenVaultCLibsecret": [],
    "TokenVaultCSecretService": [], "TokenVaultCSystem": [], "TokenVaultCVFS": [],
    "TokenVaultCCurl": [], "TokenVaultCQRCode": [], "TokenVaultCFiles": [],
    "TokenVaultCFront": [],
    // The vault.
    "TokenVaultCrypto": ["TokenVaultCOpenSSL", "Glibc", "Synchronization"],
    "TokenVaultModel": [],
    "TokenVaultSystem": ["TokenVaultCSystem", "Dispatch", "Glibc", "Synchronization"],
    "TokenVaultGroupStore": [
      "TokenVaultCSQLite", "TokenVaultCVFS", "Glibc", "Synchronization", "TokenVaultSystem",
      "TokenVaultCrypto", "TokenVaultModel",
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
      "TokenVaultSignIn", "TokenVaultSignInTransport", "Synchronization", "TokenVaultSystem",
      "TokenVaultCrypto", "TokenVaultModel",
    ],
    // The protocols of other tools.
    "TokenVaultCredentialHelpers": [
      "Glibc", "TokenVaultSignIn", "TokenVaultCrypto", "TokenVaultModel",
    ],
    // The files of other tools.
    "TokenVaultPlaintext": ["TokenVaultCrypto", "TokenVaultModel"],
    // The command line program.
    "TokenVaultCLI": [
      "ArgumentParser", "TokenVaultCredentialHelpers", "TokenVaultCQRCode", "Dispatch",
      "TokenVaultPlaintext", "TokenVaultCFiles",
      "FoundationEssentials", "Glibc",
      "TokenVaultKeyCustody",
      "TokenVaultSignIn",
      "TokenVaultSignInTransport", "Synchronization", "TokenVaultSystem", "TokenVault",
      "TokenVaultCrypto",
      "TokenVaultModel",
    ],
    "TokenVaultProgram": ["TokenVaultCLI"],
    // The front prints a stored token without ArgumentParser and Foundation.
    "TokenVaultFront": [
      "Glibc", "TokenVault", "TokenVaultModel", "TokenVaultSystem", "TokenVaultKeyCustody",
      "TokenVaultCFront",
    ],
    // Examples of tools that use the library.
    "GroupMember": ["Foundation", "TokenVault"],
    "GraphSample": ["Foundation", "TokenVault"],
    "CurrentToken": ["TokenVault"],
    "StoredPassword": ["TokenVault"],
    "CallAPI": ["TokenVault"],
    // For demos and tests: nothing that is shipped imports them.
    // Of the vault it imports only TokenVaultCrypto: an error in a parser that the provider shared
    // with the client under test would cancel itself out.
    "TokenVaultIdentityProvider": ["Foundation", "Glibc", "Synchronization", "TokenVaultCrypto"],
    "tokenvault-idp": ["Foundation", "TokenVaultIdentityProvider"],
    // For scripts/build.
    "tokenvault-manual": ["Foundation"],
    // For tests only: nothing that is shipped imports it.
    "TokenVaultTestSupport": [
      "Foundation", "FoundationEssentials", "Glibc", "TokenVaultGroupStore", "TokenVaultKeyCustody",
      "TokenVaultSignIn",
      "TokenVaultSignInTransport", "Synchronization", "TokenVaultSystem", "Testing", "TokenVault",
      "TokenVaultCrypto",
      "TokenVaultModel",
    ],
  ]

  /// Modules with a single Swift importer, in whose signatures their types do not appear.
  static let cModules: Set<String> = [
    "TokenVaultCOpenSSL", "TokenVaultCSQLite", "TokenVaultCLibsecret", "TokenVaultCSecretService",
    "TokenVaultCSystem", "TokenVaultCCurl", "TokenVaultCQRCode", "TokenVaultCFiles",
    "TokenVaultCFront",
    "TokenVaultCVFS",
  ]

  /// The C modules that may include a header, by the beginning of the header's path. Headers of the
  /// C library and of the kernel are not restricted.
  static let headers: [String: Set<String>] = [
    "libsecret/": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "glib": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "gio/": ["TokenVaultCLibsecret", "TokenVaultCSecretService"],
    "openssl/": ["TokenVaultCOpenSSL", "TokenVaultCFront"],
    "sqlite3": ["TokenVaultCSQLite", "TokenVaultCVFS"],
    "curl/": ["TokenVaultCCurl"],
    "qrencode": ["TokenVaultCQRCode"],
    "dbus/": [],
    "systemd/": [],
  ]

  /// The targets on the cold path: loading Foundation adds about 1 ms to the start of a program,
  /// even of one that never calls it.
  static let withoutFoundation: Set<String> = [
    "TokenVaultCrypto", "TokenVaultModel", "TokenVaultSystem", "TokenVaultGroupStore",
    "TokenVaultKeyCustody", "TokenVaultSignIn",
    "TokenVaultSignInTransport", "TokenVaultCredentialHelpers", "TokenVaultPlaintext",
  ]

  /// The targets that may touch their process: read its environment, print, exit.
  static let programs: Set<String> = [
    "TokenVaultCLI", "TokenVaultProgram", "TokenVaultFront", "tokenvault-idp",
    "tokenvault-manual",
    "GroupMember", "GraphSample",
    "CurrentToken", "StoredPassword", "CallAPI",
  ]

  /// The one file in which a library reads the environment, for callers that ask for that of the
  /// process.
  static let environmentReader = "Sources/TokenVaultSystem/ProcessEnvironment.swift"
}
