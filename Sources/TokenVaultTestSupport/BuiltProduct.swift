package import Foundation

/// An executable of this package, from the same build as the tests.
package struct BuiltProduct: Sendable {
  /// The executable.
  package let url: URL

  /// The executable is missing. This is a failure, because a skipped test would prove nothing.
  package struct Missing: Error {
    /// The expected path.
    package let path: String
  }

  /// Finds an executable in the directory of the tests' own.
  package init(_ name: String) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    url = URL(filePath: own).deletingLastPathComponent().appending(path: name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw Missing(path: url.path)
    }
  }
}
