import Foundation
import Testing

/// Documents name tests, as `[test: nameOfTheTest]` behind a promise, and paths. Both must exist.
@Suite(.timeLimit(.minutes(3)))
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

  @Test(arguments: ["docs/architecture.md", "CONTRIBUTING.md"])
  func everyPathThatADocumentNamesExists(document: String) throws {
    let paths = DocumentedPaths.mentioned(in: try Checkout.file(document))
    #expect(paths.count > 5)
    for path in paths where !Checkout.has(path.path) {
      Issue.record("\(document):\(path.line): there is no \(path.path)")
    }
  }

  private func documents() throws -> [SourceFile] {
    let atTheTop = try FileManager.default.contentsOfDirectory(atPath: Checkout.root.path)
      .filter { $0.hasSuffix(".md") }.sorted()
    #expect(atTheTop.contains("SECURITY.md"))
    return try atTheTop.map(Checkout.file) + Checkout.files(in: "docs", endings: ["md"])
  }

  @Test func aMentionHasTheNumberOfItsLine() {
    let document = SourceFile(
      path: "docs/a.md",
      text: "Erased [test: aRow], and\nread back [test: aWipe, aCopy].\n`[test: inCode]`\n")
    let mentions = DocumentedTests.mentioned(in: document)
    #expect(mentions.map(\.name) == ["aRow", "aWipe", "aCopy"])
    #expect(mentions.map(\.line) == [1, 2, 2])
  }

  @Test func onlyTestsAndSuitesCountAsDefined() {
    let text = """
      @Suite(.timeLimit(.minutes(1))) struct WipeTests {
        @Test(arguments: [1, 2])
        func aWipe(n: Int) {}
        @Test func aCopy() {}
        func helper() {}
      }
      """
    let defined = DocumentedTests.defined(in: [SourceFile(path: "Tests/T/F.swift", text: text)])
    #expect(defined == ["WipeTests", "aWipe", "aCopy"])
  }

  @Test func pathsAreToldFromCommandsTypesAndPatterns() {
    let text = """
      Run `scripts/test --filter X`, then see `Sources/TokenVault/SignOut/` and `Package.swift`
      and `.ci/run`, not `Vault.token`, `a/b`, `~/.config`, `.build/dist`, `Sources/*/File.swift`,
      `*Failure.swift` or `Type+Topic.swift`. [Decisions](docs/decisions/0002-one-binary.md)
      ```sh
      scripts/no-such
      ```
      """
    let paths = DocumentedPaths.mentioned(in: SourceFile(path: "docs/a.md", text: text))
    #expect(
      paths.map(\.path) == [
        "scripts/test", "Sources/TokenVault/SignOut/", "Package.swift", ".ci/run",
      ])
    #expect(paths.map(\.line) == [1, 1, 1, 2])
    #expect(Checkout.has("docs/decisions") && Checkout.has("docs/decisions/"))
    #expect(!Checkout.has("docs/no-such.md"))
  }
}
