import Foundation

/// The tests that documents name, and the tests that there are.
enum DocumentedTests {
  struct Mention {
    var name: String
    var line: Int
  }

  /// A mention in backticks is an example, not a promise.
  static func mentioned(in document: SourceFile) -> [Mention] {
    document.lines.flatMap { number, text in
      text.matches(of: /(?:^|[^`])\[test: ([^\]]+)\]/).flatMap { match in
        match.output.1.split(separator: ",").map {
          Mention(name: $0.trimmingCharacters(in: .whitespaces), line: number)
        }
      }
    }
  }

  static func defined(in files: [SourceFile]) -> Set<String> {
    var names: Set<String> = []
    for file in files {
      // An attribute with its arguments, then other attributes, then the declaration.
      let declaration =
        /@(?:Test|Suite)\b[\s\S]*?\b(?:func|struct|class|actor|enum)\s+(?:`([^`]+)`|(\w+))/
      for match in file.text.matches(of: declaration) {
        if let name = match.output.1 ?? match.output.2 { names.insert(String(name)) }
      }
    }
    return names
  }
}
