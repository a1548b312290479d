import Foundation
import Testing
import TokenVaultCredentialHelpers

/// One call of a helper, as it is written in Transcripts/PROTOCOL/NAME.txt: the call, the input, the
/// request to the vault, its outcome, and each byte of the answer.
struct Transcript: CustomTestStringConvertible, Sendable {
  /// A section: a line `--- NAME`, and the lines after it.
  struct Section: Equatable, Sendable {
    let name: String
    let lines: [String]

    /// The lines as a text of a program, each with its line feed.
    var text: String { lines.map { $0 + "\n" }.joined() }
  }

  let protocolName: String
  let name: String
  let sections: [Section]

  var testDescription: String { "\(protocolName)/\(name)" }

  /// Every transcript, in the order of their names.
  static let all: [Transcript] = {
    do { return try read() } catch { preconditionFailure("\(error)") }
  }()

  private static func read() throws -> [Transcript] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Transcripts")
    let files =
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL } ?? []
    return try files.filter { $0.pathExtension == "txt" }
      .sorted { $0.path < $1.path }
      .map { Transcript(at: $0, try String(contentsOf: $0, encoding: .utf8)) }
  }

  private init(at file: URL, _ text: String) {
    protocolName = file.deletingLastPathComponent().lastPathComponent
    name = file.deletingPathExtension().lastPathComponent
    var sections: [Section] = []
    // The last line has its line feed, too.
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if line.hasPrefix("--- ") {
        sections.append(Section(name: String(line.dropFirst(4)), lines: []))
      } else if let last = sections.popLast() {
        sections.append(Section(name: last.name, lines: last.lines + [String(line)]))
      }
    }
    self.sections = sections
  }

  /// The call, with the first input if its protocol reads one request only.
  func call() throws -> HelperCall {
    let call = sections.first { $0.name == "call" }?.lines ?? []
    let arguments = try JSONDecoder().decode([String].self, from: Data((call.first ?? "").utf8))
    let environment = call.dropFirst().map { $0.split(separator: "=", maxSplits: 1) }
      .map { (String($0[0]), String($0.dropFirst().first ?? "")) }
    return HelperCall(
      arguments, environment: Dictionary(uniqueKeysWithValues: environment),
      input: inputs.first ?? [])
  }

  /// Every input.
  var inputs: [[UInt8]] {
    sections.compactMap { section in
      switch section.name {
      case "input": Array(section.text.utf8)
      case "input without a line feed": Array(section.text.utf8.dropLast())
      default: nil
      }
    }
  }
}
