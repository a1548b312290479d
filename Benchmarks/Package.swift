// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "TokenVault", path: "..", traits: [])],
  targets: [
    .systemLibrary(name: "CSQLitePeer", pkgConfig: "sqlite3"),
    .executableTarget(
      name: "VaultBench",
      dependencies: ["CSQLitePeer", .product(name: "TokenVault", package: "TokenVault")]),
  ]
)
