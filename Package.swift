// swift-tools-version: 6.2
import PackageDescription

// Every target is built with the same strictness; see CONTRIBUTING.md.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "TokenVault",
  products: [
    .library(name: "TokenVault", targets: ["TokenVault", "SignInTransport"]),
    .executable(name: "tokenvault", targets: ["tokenvault"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    // Doors to C. Each has exactly one Swift importer.
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(
      name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(
      name: "CLibsecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev"])]),
    // Loads libsecret when it is first needed, so it has no link-time need of it.
    .target(name: "CSecretService"),
    .target(name: "CSystem"),

    // The vault.
    .target(name: "VaultCrypto", dependencies: ["COpenSSL"], swiftSettings: strict),
    .target(name: "VaultModel", swiftSettings: strict),
    .target(name: "SystemCalls", dependencies: ["CSystem"], swiftSettings: strict),
    .target(
      name: "GroupStore", dependencies: ["VaultModel", "VaultCrypto", "CSQLite", "SystemCalls"],
      swiftSettings: strict),
    .target(
      name: "KeyCustody",
      dependencies: ["VaultModel", "VaultCrypto", "CSecretService", "SystemCalls"],
      swiftSettings: strict),
    // Signing in: what is said, and what carries it.
    .target(name: "SignIn", dependencies: ["VaultModel", "VaultCrypto"], swiftSettings: strict),
    // Loads libcurl when it is first needed.
    .target(name: "CCurl"),
    .target(
      name: "SignInTransport", dependencies: ["SignIn", "CCurl", "SystemCalls"],
      swiftSettings: strict),

    .target(
      name: "TokenVault",
      dependencies: [
        "VaultModel", "VaultCrypto", "GroupStore", "KeyCustody", "SignIn", "SystemCalls",
      ],
      swiftSettings: strict),

    // The programs people run.
    // Loads libqrencode when a QR code is drawn.
    .target(name: "CQRCode"),
    .target(
      name: "TokenVaultCLI",
      dependencies: [
        "TokenVault", "VaultModel", "VaultCrypto", "KeyCustody", "SignIn", "SignInTransport",
        "SystemCalls", "CQRCode",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "tokenvault", dependencies: ["TokenVaultCLI"], swiftSettings: strict),
    .executableTarget(
      name: "group-member", dependencies: ["TokenVault"], path: "Examples/GroupMember",
      swiftSettings: strict),
    .executableTarget(
      name: "graph-sample", dependencies: ["TokenVault", "SignInTransport"],
      path: "Examples/GraphSample", exclude: ["entra.json", "local.json"], swiftSettings: strict),

    // An identity provider for demos and tests.
    .target(
      name: "IdentityProvider", dependencies: ["SignIn", "VaultModel", "VaultCrypto"],
      swiftSettings: strict),
    .executableTarget(
      name: "tokenvault-idp", dependencies: ["IdentityProvider", "VaultModel"],
      swiftSettings: strict),

    // Tests. The probe does one thing to a group file, so that a test can kill it meanwhile.
    .executableTarget(
      name: "group-store-probe", dependencies: ["GroupStore", "VaultModel", "VaultCrypto"],
      path: "Tests/Probes/GroupStoreProbe", swiftSettings: strict),
    .executableTarget(
      name: "vault-probe", dependencies: ["TokenVault"],
      path: "Tests/Probes/VaultProbe", swiftSettings: strict),
    .executableTarget(
      name: "transport-probe", dependencies: ["SignInTransport", "SignIn", "VaultCrypto"],
      path: "Tests/Probes/TransportProbe", swiftSettings: strict),
    // Reads what comes from outside while somebody signs in; scripts/fuzz makes a fuzzer of it.
    .executableTarget(
      name: "fuzz-sign-in", dependencies: ["SignIn", "VaultModel", "VaultCrypto"],
      path: "Tests/Probes/FuzzSignIn", swiftSettings: strict),
    .target(
      name: "TokenVaultTestSupport",
      dependencies: ["TokenVault", "VaultModel", "VaultCrypto", "GroupStore", "KeyCustody"],
      swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
    .testTarget(
      name: "VaultCryptoTests", dependencies: ["VaultCrypto", "TokenVaultTestSupport"],
      exclude: ["Peers"], swiftSettings: strict),
    .testTarget(
      name: "SignInTests",
      dependencies: [
        "SignIn", "VaultModel", "VaultCrypto", "TokenVaultTestSupport", "fuzz-sign-in",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SignInTransportTests",
      dependencies: [
        "SignInTransport", "SignIn", "PrototypeCheck", "TokenVaultTestSupport", "transport-probe",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "IdentityProviderTests",
      dependencies: ["TokenVaultTestSupport", "VaultModel", "VaultCrypto", "tokenvault-idp"],
      swiftSettings: strict),
    .testTarget(name: "VaultModelTests", dependencies: ["VaultModel"], swiftSettings: strict),
    .testTarget(
      name: "GroupStoreTests",
      dependencies: [
        "GroupStore", "VaultModel", "VaultCrypto", "SystemCalls", "group-store-probe",
      ],
      exclude: ["Fixtures"],
      swiftSettings: strict),
    .target(name: "PrototypeCheck", dependencies: ["CLibsecret"], path: "Tests/PrototypeCheck"),
    .testTarget(
      name: "KeyCustodyTests",
      dependencies: [
        "KeyCustody", "VaultCrypto", "SystemCalls", "PrototypeCheck", "TokenVaultTestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SignInFlowTests",
      dependencies: [
        "TokenVault", "SignIn", "SignInTransport", "TokenVaultTestSupport", "tokenvault-idp",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "TokenVaultTests", dependencies: ["TokenVault", "TokenVaultTestSupport"],
      exclude: ["Peers"],
      swiftSettings: strict),
    .testTarget(
      name: "EndToEndTests",
      dependencies: [
        "TokenVault", "GroupStore", "KeyCustody", "VaultModel", "VaultCrypto",
        "TokenVaultTestSupport", "tokenvault", "tokenvault-idp", "group-member",
        "graph-sample", "vault-probe",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "ProviderTests",
      dependencies: ["TokenVaultTestSupport", "VaultCrypto", "tokenvault"],
      exclude: ["Peers"], swiftSettings: strict),
    .testTarget(
      name: "TokenVaultCLITests",
      dependencies: [
        "TokenVaultCLI", "TokenVault", "SignIn", "VaultModel", "TokenVaultTestSupport",
        "tokenvault",
        "group-member", "tokenvault-idp",
      ],
      exclude: ["Transcripts"],
      swiftSettings: strict),
  ]
)
