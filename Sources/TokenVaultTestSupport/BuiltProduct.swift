public import Foundation

/// An executable of this package as the tests were built with it.
public struct BuiltProduct: Sendable {
  /// The executable.
  public let url: URL

  /// It was not built, which is a failure: a test that does not find what it tests proves nothing.
  public struct Missing: Error {
    /// Where it was looked for.
    public let path: String
  }

  /// Finds it beside the tests' own executable.
  public init(_ name: String) throws {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    url = URL(filePath: own).deletingLastPathComponent().appending(path: name)
    guard FileManager.default.isExecutableFile(atPath: url.path) else {
      throw Missing(path: url.path)
    }
  }
}
