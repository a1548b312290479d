import Foundation
import Testing

/// The lines of a document that a tool author copies into Package.swift.
struct DocumentedDependency {
  /// `.product(name: "TokenVault", package: "tokenvault")`
  let product: String
  private let package: String

  init(in document: URL) throws {
    let text = try String(contentsOf: document, encoding: .utf8)
    package = String(try #require(text.firstMatch(of: /\.package\(url: "[^"]*"[^()\n]*\)/)?.output))
    product = String(
      try #require(
        text.firstMatch(of: /\.product\(name: "TokenVault", package: "tokenvault"\)/)?.output))
  }

  /// The documented `.package` with another place of the repository.
  func package(at place: String) -> String {
    package.replacing(/url: "[^"]*", \w+: "[^"]*"/, with: place)
  }
}
