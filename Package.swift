// swift-tools-version: 6.2
import PackageDescription

// Continuous integration refuses warnings. Nobody else does: a newer compiler may have new ones,
// and a package that depends on this one must build all the same.
let refusesWarnings = Context.environment["TOKENVAULT_WARNINGS_AS_ERRORS"] == "1"

// Every Swift target is built with the same strictness; see CONTRIBUTING.md.
let strict: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + (refusesWarnings ? [.treatAllWarnings(as: .error)] : [])

// -Wall -Wextra, in the form that SwiftPM accepts from a dependency.
let strictC: [CSetting] =
  [.enableWarning("all"), .enableWarning("extra")]
  + (refusesWarnings ? [.treatAllWarnings(as: .error)] : [])

/// How `scripts/build` links the program's front. A package whose manifest has such flags
/// cannot be a dependency, so an ordinary build has none.
let frontLink = Context.environment["TOKENVAULT_FRONT_LINK"].map { flags in
  [LinkerSetting.unsafeFlags(flags.split(separator: " ").map(String.init))]
}

/// The provider files that are compiled into the program, so that it stays one file.
let providers = ["microsoft", "github", "gitlab", "google", "forgejo", "oidc"]

let package = Package(
  name: "TokenVault",
  products: [
    .library(name: "TokenVault", targets: ["TokenVault"]),
    .executable(name: "tokenvault", targets: ["TokenVaultProgram"]),
    .executable(name: "tokenvault-front", targets: ["TokenVaultFront"]),
  ],
  // A tool that uses the library alone says `traits: []` where it depends on this package, and
  // SwiftPM does not fetch the packages that only the program needs.
  traits: [
    .trait(name: "Program", description: "The command line program tokenvault."),
    .default(enabledTraits: ["Program"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // Doors to C. Each has exactly one Swift importer.
    .systemLibrary(
      name: "TokenVaultCOpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "TokenVaultCSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "TokenVaultCLibsecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]
    ),
    // Loads libsecret when it is first needed, so it has no link-time need of it.
    .target(name: "TokenVaultCSecretService", cSettings: strictC),
    .target(name: "TokenVaultCSystem", cSettings: strictC),
    // How SQLite opens, reads and syncs files.
    .target(name: "TokenVaultCVFS", dependencies: ["TokenVaultCSQLite"], cSettings: strictC),

    // The vault.
    .target(name: "TokenVaultCrypto", dependencies: ["TokenVaultCOpenSSL"], swiftSettings: strict),
    .target(name: "TokenVaultModel", swiftSettings: strict),
    .target(name: "TokenVaultSystem", dependencies: ["TokenVaultCSystem"], swiftSettings: strict),
    .target(
      name: "TokenVaultGroupStore",
      dependencies: [
        "TokenVaultModel", "TokenVaultCrypto", "TokenVaultCSQLite", "TokenVaultCVFS",
        "TokenVaultSystem",
      ],
      swiftSettings: strict),
    .target(
      name: "TokenVaultKeyCustody",
      dependencies: [
        "TokenVaultModel", "TokenVaultCrypto", "TokenVaultCSecretService", "TokenVaultSystem",
      ],
      swiftSettings: strict),
    // Signing in: what is said, and what carries it.
    .target(
      name: "TokenVaultSignIn",
      dependencies: ["TokenVaultModel", "TokenVaultCrypto", "TokenVaultSystem"],
      resources: providers.map { .embedInCode("Providers/\($0).json") },
      swiftSettings: strict),
    // Loads libcurl when it is first needed.
    .target(name: "TokenVaultCCurl", cSettings: strictC),
    .target(
      name: "TokenVaultSignInTransport",
      dependencies: ["TokenVaultSignIn", "TokenVaultCCurl", "TokenVaultSystem"],
      swiftSettings: strict),

    .target(
      name: "TokenVault",
      dependencies: [
        "TokenVaultModel", "TokenVaultCrypto", "TokenVaultGroupStore", "TokenVaultKeyCustody",
        "TokenVaultSignIn", "TokenVaultSignInTransport", "TokenVaultSystem",
      ],
      swiftSettings: strict),

    // The protocols in which other tools ask for credentials: no files, no vault.
    .target(
      name: "TokenVaultCredentialHelpers",
      dependencies: ["TokenVaultSignIn", "TokenVaultModel", "TokenVaultCrypto"],
      swiftSettings: strict),

    // The files in which other tools leave secrets: from bytes to findings, and to bytes without them.
    .target(
      name: "TokenVaultPlaintext", dependencies: ["TokenVaultModel", "TokenVaultCrypto"],
      swiftSettings: strict),
    // Extended attributes of files, and the exchange of two of them.
    .target(name: "TokenVaultCFiles", cSettings: strictC),

    // The programs people run.
    // Loads libqrencode when a QR code is drawn.
    .target(name: "TokenVaultCQRCode", cSettings: strictC),
    .target(
      name: "TokenVaultCLI",
      dependencies: [
        "TokenVault", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultKeyCustody",
        "TokenVaultSignIn", "TokenVaultSignInTransport", "TokenVaultCredentialHelpers",
        "TokenVaultSystem", "TokenVaultCQRCode", "TokenVaultPlaintext", "TokenVaultCFiles",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser",
          condition: .when(traits: ["Program"])),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "TokenVaultProgram", dependencies: ["TokenVaultCLI"], swiftSettings: strict),
    // The first instructions of the front, and its algorithms.
    .target(name: "TokenVaultCFront", cSettings: strictC),
    // Prints a stored token, and runs the program above for everything else.
    .executableTarget(
      name: "TokenVaultFront",
      dependencies: [
        "TokenVault", "TokenVaultModel", "TokenVaultSystem", "TokenVaultKeyCustody",
        "TokenVaultCFront",
      ],
      swiftSettings: strict, linkerSettings: frontLink ?? []),
    .executableTarget(
      name: "group-member", dependencies: ["TokenVault"], path: "Examples/GroupMember",
      swiftSettings: strict),
    .executableTarget(
      name: "current-token", dependencies: ["TokenVault"], path: "Examples/CurrentToken",
      swiftSettings: strict),
    .executableTarget(
      name: "stored-password", dependencies: ["TokenVault"], path: "Examples/StoredPassword",
      swiftSettings: strict),
    .executableTarget(
      name: "call-api", dependencies: ["TokenVault"], path: "Examples/CallAPI",
      swiftSettings: strict),
    .executableTarget(
      name: "graph-sample", dependencies: ["TokenVault"],
      path: "Examples/GraphSample",
      exclude: ["b2c.json", "entra.json", "external.json", "local.json"], swiftSettings: strict),

    // An identity provider for demos and tests.
    .target(
      name: "TokenVaultIdentityProvider", dependencies: ["TokenVaultCrypto"],
      swiftSettings: strict),
    .executableTarget(
      name: "tokenvault-idp", dependencies: ["TokenVaultIdentityProvider"],
      swiftSettings: strict),

    // Writes the manual page from a template and the help of each command; scripts/build runs it.
    .executableTarget(name: "tokenvault-manual", swiftSettings: strict),

    // Tests. The probe does one thing to a group file, so that a test can kill it meanwhile.
    .executableTarget(
      name: "group-store-probe",
      dependencies: [
        "TokenVaultGroupStore", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultSystem",
      ],
      path: "Tests/Probes/GroupStoreProbe", swiftSettings: strict),
    .executableTarget(
      name: "vault-probe", dependencies: ["TokenVault"],
      path: "Tests/Probes/VaultProbe", swiftSettings: strict),
    .executableTarget(
      name: "transport-probe",
      dependencies: ["TokenVaultSignInTransport", "TokenVaultSignIn", "TokenVaultCrypto"],
      path: "Tests/Probes/TransportProbe", swiftSettings: strict),
    // Runs the parsers of untrusted input; scripts/fuzz builds it as a fuzzer. It looks inside the
    // modules, as the tests do.
    .executableTarget(
      name: "fuzz-parsers",
      dependencies: [
        "TokenVault", "TokenVaultCredentialHelpers", "TokenVaultGroupStore",
        "TokenVaultKeyCustody", "TokenVaultPlaintext", "TokenVaultSignIn", "TokenVaultSystem",
        "TokenVaultModel", "TokenVaultCrypto",
      ],
      path: "Tests/Fuzzing/Harnesses", swiftSettings: strict),
    .target(
      name: "TokenVaultTestSupport",
      dependencies: [
        "TokenVault", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultGroupStore",
        "TokenVaultKeyCustody",
      ],
      swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
    .testTarget(name: "ConsumerTests", swiftSettings: strict),
    .testTarget(
      name: "FuzzingTests", dependencies: ["TokenVaultTestSupport", "fuzz-parsers"],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultCryptoTests",
      dependencies: ["TokenVaultCrypto", "TokenVaultModel", "TokenVaultTestSupport"],
      exclude: ["Peers"], swiftSettings: strict),
    .testTarget(
      name: "TokenVaultSignInTests",
      dependencies: [
        "TokenVaultSignIn", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultCredentialHelpersTests",
      dependencies: [
        "TokenVaultCredentialHelpers", "TokenVaultSignIn", "TokenVaultModel", "TokenVaultCrypto",
      ],
      exclude: ["Transcripts"], swiftSettings: strict),
    .testTarget(
      name: "TokenVaultPlaintextTests",
      dependencies: ["TokenVaultPlaintext", "TokenVaultModel", "TokenVaultCrypto"],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultSignInTransportTests",
      dependencies: [
        "TokenVaultSignInTransport", "TokenVaultSignIn", "TokenVaultSystem", "PrototypeCheck",
        "TokenVaultTestSupport", "transport-probe",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultIdentityProviderTests",
      dependencies: [
        "TokenVaultIdentityProvider", "TokenVaultTestSupport", "TokenVaultSignIn",
        "TokenVaultModel", "TokenVaultCrypto", "tokenvault-idp",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultModelTests", dependencies: ["TokenVaultModel"], swiftSettings: strict),
    .testTarget(
      name: "TokenVaultGroupStoreTests",
      dependencies: [
        "TokenVaultGroupStore", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultSystem",
        "group-store-probe",
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .target(
      name: "PrototypeCheck", dependencies: ["TokenVaultCLibsecret"], path: "Tests/PrototypeCheck",
      cSettings: strictC),
    .testTarget(
      name: "TokenVaultKeyCustodyTests",
      dependencies: [
        "TokenVaultKeyCustody", "TokenVaultModel", "TokenVaultCrypto", "TokenVaultSystem",
        "PrototypeCheck", "TokenVaultTestSupport", "TokenVaultCFront",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SignInFlowTests",
      dependencies: [
        "TokenVault", "TokenVaultSignIn", "TokenVaultSignInTransport", "TokenVaultTestSupport",
        "tokenvault-idp",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultTests", dependencies: ["TokenVault", "TokenVaultTestSupport"],
      exclude: ["Peers"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "TokenVault", "TokenVaultGroupStore", "TokenVaultKeyCustody", "TokenVaultModel",
        "TokenVaultCrypto",
        "TokenVaultTestSupport", "TokenVaultProgram", "TokenVaultFront", "tokenvault-idp",
        "group-member", "graph-sample", "vault-probe",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderTests",
      dependencies: ["TokenVaultTestSupport", "TokenVaultCrypto", "TokenVaultProgram"],
      exclude: ["Peers"], swiftSettings: strict),
    .testTarget(
      name: "TokenVaultCLITests",
      dependencies: [
        "TokenVaultCLI", "TokenVault", "TokenVaultSignIn", "TokenVaultModel",
        "TokenVaultTestSupport",
        "TokenVaultProgram", "TokenVaultFront",
        "group-member", "tokenvault-idp", "tokenvault-manual",
      ],
      exclude: ["Peers", "Transcripts"],
      swiftSettings: strict),
  ]
)

// scripts/sanitize builds these test targets and what they depend on.
if let tests = Context.environment["TOKENVAULT_TESTS"] {
  let names = tests.split(separator: ",").map(String.init)
  package.targets.removeAll { $0.type == .test && !names.contains($0.name) }
}
