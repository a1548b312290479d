import Foundation
import Testing

/// A package that depends on this one, in a temporary folder with a home of its own.
struct ConsumerPackage {
  enum Dependency {
    /// On the checkout.
    case path
    /// On version 1.0.0 of a repository made of the checkout.
    case tag
    /// The same, without `traits: []`.
    case tagWithProgram
  }

  private static let checkout = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The program that the package builds.
  private static let program = "Examples/CurrentToken/main.swift"

  private let folder: URL
  private let commands: Commands

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "consumer-\(UUID().uuidString)", directoryHint: .isDirectory)
    commands = try Commands(home: folder.appending(path: "home"))
    try writeTool()
    try writeSQLitePackage()
    try writeRepository()
    // SwiftPM takes a package's identity from the last part of its path.
    try FileManager.default.createSymbolicLink(
      at: folder.appending(path: "tokenvault"), withDestinationURL: Self.checkout)
  }

  /// Builds the program and runs it: in the empty home it is a member of no group.
  func buildAndRun(against dependency: Dependency) throws {
    try writeManifest(dependency)
    let build = try swift("build", "--product", "tool")
    try #require(build.status == 0, "\(build.output)")
    #expect(!build.output.contains("warning:"), "\(build.output)")
    let tool = folder.appending(path: "tool/.build/debug/tool").path
    let run = try commands.run(tool, in: folder)
    #expect(run.output.contains("notAMember("), "\(run.output)")
  }

  /// The names of the packages that SwiftPM fetches.
  func fetched(against dependency: Dependency) throws -> Set<String> {
    try writeManifest(dependency)
    let scratch = folder.appending(path: "fetched-\(UUID().uuidString)")
    let resolution = try swift("package", "--scratch-path", scratch.path, "resolve")
    try #require(resolution.status == 0, "\(resolution.output)")
    return Set(
      try FileManager.default.contentsOfDirectory(
        atPath: scratch.appending(path: "checkouts").path))
  }

  private func swift(_ command: String, _ arguments: String...) throws -> Commands.Result {
    let own = ["cache", "config", "security"].flatMap {
      ["--\($0)-path", folder.appending(path: "swiftpm/\($0)").path]
    }
    return try commands.run(
      "/usr/bin/env", ["swift", command] + own + arguments, in: folder.appending(path: "tool"))
  }

  private func write(_ text: String, to path: String) throws {
    let file = folder.appending(path: path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func writeTool() throws {
    try write(
      String(contentsOf: Self.checkout.appending(path: Self.program), encoding: .utf8),
      to: "tool/Sources/tool/main.swift")
    try write(
      """
      import CSQLite
      import SystemPackage

      func neighbors() -> String {
        FilePath("/").appending(String(cString: csqlite_version())).string
      }
      """, to: "tool/Sources/tool/Neighbors.swift")
  }

  private func writeSQLitePackage() throws {
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "sqlite",
        products: [.library(name: "CSQLite", targets: ["CSQLite"])],
        targets: [.target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")])])
      """, to: "sqlite/Package.swift")
    try write(
      "const char *csqlite_version(void);\n", to: "sqlite/Sources/CSQLite/include/csqlite.h")
    try write(
      """
      #include "csqlite.h"
      #include <sqlite3.h>
      const char *csqlite_version(void) { return sqlite3_libversion(); }
      """, to: "sqlite/Sources/CSQLite/csqlite.c")
  }

  /// A repository with the files of the checkout as they are now, committed or not.
  private func writeRepository() throws {
    let repository = folder.appending(path: "repository/tokenvault.git")
    try FileManager.default.createDirectory(at: repository, withIntermediateDirectories: true)
    let copy = try commands.run(
      "/bin/sh", "-ceu",
      """
      git -C "$1" ls-files -z --cached --others --exclude-standard |
        tar -C "$1" --null --files-from=- --ignore-failed-read -c | tar -x
      git init --quiet
      git add --all
      git -c user.name=consumer -c user.email=consumer@example.com commit --quiet --message=All
      git tag 1.0.0
      """, "sh", Self.checkout.path, in: repository)
    try #require(copy.status == 0, "\(copy.output)")
  }

  private func writeManifest(_ dependency: Dependency) throws {
    let documented = try DocumentedDependency(in: Self.checkout.appending(path: "docs/tutorial.md"))
    let repository = folder.appending(path: "repository/tokenvault.git").absoluteString
    let line =
      switch dependency {
      case .path: documented.package(at: "path: \"../tokenvault\"")
      case .tag: documented.package(at: "url: \"\(repository)\", from: \"1.0.0\"")
      case .tagWithProgram: ".package(url: \"\(repository)\", from: \"1.0.0\")"
      }
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription

      let package = Package(
        name: "tool",
        dependencies: [
          \(line),
          .package(path: "../sqlite"),
          .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
        ],
        targets: [
          .executableTarget(
            name: "tool",
            dependencies: [
              \(documented.product),
              .product(name: "CSQLite", package: "sqlite"),
              .product(name: "SystemPackage", package: "swift-system"),
            ])
        ])
      """, to: "tool/Package.swift")
  }
}
