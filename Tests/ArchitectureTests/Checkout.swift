import Foundation

/// The checkout that these tests were compiled from.
enum Checkout {
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func files(in directory: String, endings: Set<String>) throws -> [SourceFile] {
    let start = root.appending(path: directory)
    guard let found = FileManager.default.enumerator(at: start, includingPropertiesForKeys: nil)
    else { throw CocoaError(.fileReadNoSuchFile) }
    return try found.compactMap { $0 as? URL }
      .filter { endings.contains($0.pathExtension) }
      .map { url in
        SourceFile(
          path: String(url.path.dropFirst(root.path.count + 1)),
          text: try String(contentsOf: url, encoding: .utf8))
      }
      .sorted { $0.path < $1.path }
  }

  static func file(_ path: String) throws -> SourceFile {
    SourceFile(
      path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
  }

  /// Whether the checkout has a file or directory at a path, or a Swift or Markdown file whose path
  /// ends with it.
  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
      || named.contains { $0.hasSuffix("/" + path) }
  }

  private static let named: [String] = {
    ["Benchmarks", "Examples", "Sources", "Tests", "docs", "keychain-groups"].flatMap { directory in
      (FileManager.default.enumerator(atPath: root.appending(path: directory).path)?
        .compactMap { $0 as? String } ?? [])
        .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }
        .map { "\(directory)/\($0)" }
    }
  }()
}
