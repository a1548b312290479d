import Foundation
import Testing
import TokenVaultTestSupport

/// What the fuzzer begins with (scripts/fuzz), and whatever it ever found.
@Suite struct FuzzCorpusTests {
  @Test func everyInputOfTheCorpusIsReadWithoutACrash() throws {
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
