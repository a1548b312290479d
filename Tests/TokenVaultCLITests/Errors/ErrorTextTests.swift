import ArgumentParser
import Foundation
import Testing

@testable import TokenVault
@testable import TokenVaultCLI

/// Every error says what is wrong, what is safe, and the one command to run next.
@Suite(.timeLimit(.minutes(2)))
struct ErrorTextTests {
  /// The error as the program prints it, in a process without a session bus.
  private static let shown = ErrorSamples.all.map { error in
    var invocation = Invocation(environment: ["HOME": "/nonexistent"], workingDirectory: "/")
    invocation.options.mayAsk = false
    return Failure(invocation.refined(error)).withHelp(of: "token")
  }

  /// With these, nothing has begun, or everything stays; `docs/command-line.md` says so.
  private static let safeByStatus: Set<TokenVaultCLI.ExitStatus> = [
    .usage, .notFound, .configuration, .signInNeeded,
  ]

  private static func saysWhatIsSafe(_ text: String) -> Bool {
    text.contains(
      #/(?i)nothing (else )?was|unchanged|\(kept\)|not affected|no account is affected|not overwritten/#
    )
      || text.contains(
        #/(?i)(is|are) (kept|stored|not used)|none of it was used|no partial file|signed out/#)
      || text.contains(#/(?i)the vault has it|clipboard was emptied/#)
  }

  @Test func everyErrorHasASample() throws {
    let codes = try Self.sources().filter { $0.path.contains("/Messages/Codes/") }.flatMap { file in
      file.text.matches(of: #/case [^\n]*: "(\w+)"/#).map { String($0.output.1) }
    }
    #expect(codes.count > 150)
    let sampled = Set(Self.shown.map(\.code))
    // A report has been printed in full before these.
    let printed: Set = ["diagnosisFailed", "groupsFailed", "clientIDNeeded"]
    #expect(Set(codes).subtracting(sampled).subtracting(printed) == [])
  }

  @Test func everyErrorSaysWhatIsSafeAndWhatToDoNext() {
    for failure in Self.shown {
      #expect(failure.message.count > 10)
      #expect(failure.next?.isEmpty == false, "\(failure.code): \(failure.message)")
      if !Self.safeByStatus.contains(failure.status) {
        #expect(Self.saysWhatIsSafe(failure.message), "\(failure.code): \(failure.message)")
      }
    }
  }

  /// A text that stands at the place where it is thrown has no sample.
  @Test func everyFailureInTheSourcesSaysWhatIsSafe() throws {
    var count = 0
    for file in try Self.sources() {
      for match in file.text.matches(of: #/(?:self\.init|\bFailure)\(\s*\.(\w+),\s*"/#) {
        let status = String(match.output.1)
        guard Self.safeByStatus.allSatisfy({ $0.code != status }) else { continue }
        let call = Self.call(file.text[match.range.lowerBound...])
          .replacing(#/"\s*\+\s*"/#, with: "")
        count += 1
        #expect(Self.saysWhatIsSafe(call), "\(file.path): \(call)")
      }
    }
    #expect(count > 80)
  }

  @Test func everyNextCommandIsOneThatTheProgramTakes() throws {
    var count = 0
    for next in Self.shown.compactMap(\.next) + (try Self.transcribed()) {
      for command in next.split(separator: "&&") {
        guard let start = command.range(of: #"\btokenvault "#, options: .regularExpression) else {
          continue
        }
        let words = Self.words(command[start.lowerBound...]).dropFirst()
        count += 1
        do { _ = try TokenVaultCommand.parseAsRoot(Array(words)) } catch {
          guard TokenVaultCommand.exitCode(for: error) != .success else { continue }
          Issue.record("\(next)\n\(TokenVaultCommand.message(for: error))")
        }
      }
    }
    #expect(count > 150)
  }

  /// A fault that passes by itself must not cost an account.
  @Test func noTransientFaultLeadsToADeletion() {
    let transient = Self.shown.filter {
      [.busy, .unreachable, .inputOutput, .cannotCreate, .interrupted].contains($0.status)
        || ["keyringLocked", "promptDismissed", "keyMissing", "wrongKey"].contains($0.code)
    }
    #expect(transient.count > 50)
    for failure in transient where failure.code != "programFailed" {
      let text = failure.ending
      #expect(!text.contains(#/delete|sign-out|--remove|\brm\b|--forget/#), "\(text)")
    }
  }

  // MARK: The sources, the transcripts and the shell's words

  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private static func sources() throws -> [(path: String, text: String)] {
    let folder = root.appending(path: "Sources/TokenVaultCLI")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try paths.filter { $0.hasSuffix(".swift") }.map {
      ("/" + $0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8))
    }
  }

  /// The next commands that the transcripts show.
  private static func transcribed() throws -> [String] {
    try TranscriptTests.files.flatMap { name in
      try String(contentsOf: TranscriptTests.folder.appending(path: name), encoding: .utf8)
        .split(separator: "\n").filter { $0.contains(#/^[!>] +next: /#) && !$0.contains("{*}") }
        .map { String($0.split(separator: "next: ", maxSplits: 1)[1]) }
    }
  }

  /// The text up to the end of the call that it begins with.
  private static func call(_ text: Substring) -> String {
    var depth = 0
    for (index, character) in zip(text.indices, text) {
      if character == "(" { depth += 1 }
      if character == ")" {
        depth -= 1
        if depth == 0 { return String(text[...index]) }
      }
    }
    return String(text)
  }

  /// The words of a command, with the quotes of `PlainText.shellWord`, up to a redirection.
  private static func words(_ text: Substring) -> [String] {
    var words: [String] = []
    var word: String?
    var isQuoted = false
    for character in text {
      switch character {
      case "'":
        isQuoted.toggle()
        word = word ?? ""
      case "<" where !isQuoted: return words
      case " " where !isQuoted:
        if let done = word { words.append(done) }
        word = nil
      default: word = (word ?? "") + String(character)
      }
    }
    return words + (word.map { [$0] } ?? [])
  }
}
