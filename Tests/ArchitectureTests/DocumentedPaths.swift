/// The paths that a document names in backticks.
enum DocumentedPaths {
  struct Mention {
    var path: String
    var line: Int
  }

  /// A path begins with a directory of the checkout, as in `scripts/test`, or is the name of a Swift
  /// or Markdown file, with or without directories before it. Commands with arguments count by their
  /// first word. Blocks of code, patterns with an asterisk and the placeholder `Type` do not count.
  static func mentioned(in document: SourceFile) -> [Mention] {
    var isBlock = false
    return document.lines.flatMap { number, text -> [Mention] in
      if text.drop(while: { $0 == " " }).hasPrefix("```") {
        isBlock.toggle()
        return []
      }
      if isBlock { return [] }
      return text.matches(of: /`([^`]+)`/)
        .compactMap { $0.output.1.split(separator: " ").first.map(String.init) }
        .filter(isPath)
        .map { Mention(path: $0, line: number) }
    }
  }

  private static let directories: Set<Substring> = [
    ".ci", "Benchmarks", "Clients", "Examples", "Sources", "Tests", "docs", "keychain-groups",
    "packaging", "scripts",
  ]

  private static func isPath(_ word: String) -> Bool {
    guard word.wholeMatch(of: /[\w.+\/-]+/) != nil, !word.contains(/\bType[.+]/) else {
      return false
    }
    if word.hasSuffix(".swift") || word.hasSuffix(".md") { return true }
    return word.contains("/") && word.split(separator: "/").first.map(directories.contains) == true
  }
}
