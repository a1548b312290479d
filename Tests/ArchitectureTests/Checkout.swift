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
}

struct SourceFile {
  var path: String
  var text: String

  /// The target's directory: the second part of the path.
  var module: String {
    let parts = path.split(separator: "/")
    return parts.count > 1 ? String(parts[1]) : ""
  }

  /// Lines with their numbers, from 1.
  var lines: [(number: Int, text: Substring)] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0.offset + 1, $0.element) }
  }

  /// The lines without comments and without the text of string literals, so that a rule reads
  /// code and not what is said about it.
  var code: [(number: Int, text: String)] {
    var insideText = false
    return lines.map { line in
      let fences = line.text.components(separatedBy: "\"\"\"").count - 1
      defer { if fences % 2 == 1 { insideText.toggle() } }
      if insideText || fences > 0 { return (line.number, "") }
      return (line.number, withoutLiteralsAndComment(line.text))
    }
  }
}

private func withoutLiteralsAndComment(_ line: Substring) -> String {
  var kept = ""
  var isLiteral = false
  var isEscaped = false
  for character in line {
    if isLiteral {
      if isEscaped {
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "\"" {
        isLiteral = false
      }
    } else if character == "\"" {
      isLiteral = true
    } else if character == "/", kept.hasSuffix("/") {
      kept.removeLast()
      break
    } else {
      kept.append(character)
    }
  }
  return kept
}
