import Foundation
import Testing
import TokenVaultTestSupport

/// The initial inputs of the fuzzer (scripts/fuzz), and all that it ever found.
@Suite(.timeLimit(.minutes(5))) struct FuzzCorpusTests {
  private let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fuzzing/Corpus")

  @Test func everyInputInTheCorpusIsParsedWithoutACrash() throws {
    let harnesses = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
    #expect(harnesses.count >= 13)
    for harness in harnesses {
      let inputs = try FileManager.default.contentsOfDirectory(
        at: corpus.appending(path: harness), includingPropertiesForKeys: nil)
      #expect(inputs.count >= 3, "\(harness)")
      let (status, output) = try run([harness] + inputs.map(\.path))
      // The last line names the input that ended the program.
      #expect(status == 0, "\(harness): \(output.split(separator: "\n").last ?? "")")
    }
  }

  @Test func everyHarnessHasACorpus() throws {
    let (status, output) = try run([])
    #expect(status == 64)
    let usage = try #require(output.split(separator: " ").first { $0.contains("|") })
    let harnesses = try FileManager.default.contentsOfDirectory(atPath: corpus.path)
    #expect(Set(usage.split(separator: "|").map(String.init)) == Set(harnesses))
  }

  private func run(_ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = try BuiltProduct("fuzz-parsers").url
    process.arguments = arguments
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }
}
