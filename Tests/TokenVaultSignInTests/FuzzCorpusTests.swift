import Foundation
import Testing
import TokenVaultTestSupport

/// The fuzzer's initial inputs (scripts/fuzz), and all that it ever found.
@Suite(.timeLimit(.minutes(5))) struct FuzzCorpusTests {
  @Test func everyInputInTheCorpusIsParsedWithoutACrash() throws {
    let corpus = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fuzzing/Corpus")
    let inputs = try FileManager.default.contentsOfDirectory(
      at: corpus, includingPropertiesForKeys: nil)
    #expect(inputs.count >= 30)
    let process = Process()
    process.executableURL = try BuiltProduct("fuzz-sign-in").url
    process.arguments = inputs.map(\.path)
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
  }
}
