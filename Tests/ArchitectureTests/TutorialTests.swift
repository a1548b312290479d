import Testing

/// Each `swift` block of the tutorial is, line by line, in the sample or in the snippets, which the
/// compiler checks.
@Suite(.timeLimit(.minutes(3)))
struct TutorialTests {
  @Test func everyBlockOfTheTutorialIsCompiled() throws {
    let sources =
      try Checkout.files(in: "Examples/GraphSample", endings: ["swift"])
      + [Checkout.file("Tests/SignInFlowTests/TutorialSnippets.swift")]
    let compiled = sources.map { Self.lines($0.text) }
    let blocks = Self.blocks(in: try Checkout.file("docs/tutorial.md").text)
    #expect(blocks.count > 10)
    for block in blocks where !compiled.contains(where: { Self.contains(block, in: $0) }) {
      Issue.record("not compiled:\n\(block.joined(separator: "\n"))")
    }
  }

  @Test func aBlockThatIsNotCompiledIsFound() {
    let blocks = Self.blocks(in: "A\n```swift\n  let a = 1\n\n  let b = 2\n```\n```sh\nls\n```\n")
    #expect(blocks == [["let a = 1", "let b = 2"]])
    #expect(Self.contains(blocks[0], in: ["do {", "let a = 1", "let b = 2", "}"]))
    #expect(!Self.contains(blocks[0], in: ["let a = 1", "let c = 3", "let b = 2"]))
    #expect(!Self.contains([], in: ["let a = 1"]))
  }

  /// The lines without their indentation; empty lines are left out.
  private static func lines(_ text: some StringProtocol) -> [String] {
    text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
  }

  private static func blocks(in document: String) -> [[String]] {
    document.matches(of: /```swift\n([\s\S]*?)```/).map { lines($0.output.1) }
  }

  private static func contains(_ block: [String], in source: [String]) -> Bool {
    guard !block.isEmpty, block.count <= source.count else { return false }
    return (0...source.count - block.count).contains {
      source[$0..<$0 + block.count].elementsEqual(block)
    }
  }
}
