import Foundation
import Testing

/// A promise in a document names its test as `[test: nameOfTheTest]`. A name that no test has
/// is a promise that nothing holds any more.
@Suite("What the documents say is tested")
struct DocumentTests {
  @Test func everyTestThatADocumentNamesExists() throws {
    let tests = DocumentedTests.defined(in: try Checkout.files(in: "Tests", endings: ["swift"]))
    #expect(tests.contains("everyTestThatADocumentNamesExists"))
    for document in try documents() {
      for mention in DocumentedTests.mentioned(in: document) where !tests.contains(mention.name) {
        Issue.record("\(document.path):\(mention.line): there is no test \(mention.name)")
      }
    }
  }

  private func documents() throws -> [SourceFile] {
    let atTheTop = try FileManager.default.contentsOfDirectory(atPath: Checkout.root.path)
      .filter { $0.hasSuffix(".md") }.sorted()
    #expect(atTheTop.contains("SECURITY.md"))
    return try atTheTop.map(Checkout.file) + Checkout.files(in: "docs", endings: ["md"])
  }

  @Test func aMentionIsReadWithItsLine() {
    let document = SourceFile(
      path: "docs/a.md",
      text: "Erased [test: aRow], and\nread back [test: aWipe, aCopy].\n`[test: inCode]`\n")
    let mentions = DocumentedTests.mentioned(in: document)
    #expect(mentions.map(\.name) == ["aRow", "aWipe", "aCopy"])
    #expect(mentions.map(\.line) == [1, 2, 2])
  }

  @Test func onlyTestsAndSuitesCountAsDefined() {
    let text = """
      @Suite("Wipes") struct WipeTests {
        @Test(arguments: [1, 2])
        func aWipe(n: Int) {}
        @Test func `a copy`() {}
        func helper() {}
      }
      """
    let defined = DocumentedTests.defined(in: [SourceFile(path: "Tests/T/F.swift", text: text)])
    #expect(defined == ["WipeTests", "aWipe", "a copy"])
  }
}

enum DocumentedTests {
  struct Mention {
    var name: String
    var line: Int
  }

  /// A mention in code quotes is an example, not a promise.
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
