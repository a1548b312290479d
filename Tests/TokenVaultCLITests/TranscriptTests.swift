import Foundation
import Testing
import TokenVaultTestSupport

/// Runs the built program through the sessions in Transcripts, each in its own home, with one
/// keyring.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TranscriptTests {
  static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Transcripts")
  static let files: [String] = {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder.path) } catch {
      return []
    }
    return names.filter { $0.hasSuffix(".txt") }.sorted()
  }()

  @Test func thereAreTranscripts() { #expect(Self.files.count >= 15) }

  @Test(arguments: files)
  func aSessionMatchesItsTranscript(file: String) throws {
    let transcript = try Transcript(Self.folder.appending(path: file))
    let home = try CommandLineFixtures().home(SharedSecretService.get())
    for step in transcript.steps {
      let run = try home.run(step.command)
      for mismatch in Transcript.mismatches(step, run) {
        Issue.record("\(file):\(step.line): \(step.command)\n\(mismatch)")
      }
    }
  }

  @Test func everyExitStatusOccursInATranscript() throws {
    let shown = try Self.files.flatMap {
      try Transcript(Self.folder.appending(path: $0)).steps.map(\.status)
    }
    // 1 is for unexpected errors; 75, 76 and 130 have tests of their own.
    for status: Int32 in [0, 4, 64, 65, 66, 69, 73, 74, 77, 78] {
      #expect(shown.contains(status), "no transcript ends with \(status)")
    }
  }
}
