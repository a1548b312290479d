package import Foundation

/// A recorded command line session: commands and the expected results.
///
///     # A comment
///     $ tokenvault list | head -1
///     > a line of the standard output; {*} stands for any text, a line `...` for any lines
///     ! a line of the standard error
///     = 65 unchanged
///
/// A shell runs each command. Without `=` the exit status must be 0. With `unchanged`, no file in
/// the home may have changed its content or permissions.
package struct Transcript: Sendable {
  /// One command and its expected result.
  package struct Step: Sendable {
    /// The line number in the file, from 1.
    package let line: Int
    /// The shell command.
    package let command: String
    /// Patterns for the lines of the standard output.
    package fileprivate(set) var output: [String] = []
    /// Patterns for the lines of the standard error.
    package fileprivate(set) var errors: [String] = []
    /// The exit status.
    package fileprivate(set) var status: Int32 = 0
    /// Whether no file may change.
    package fileprivate(set) var isUnchanged = false
  }

  /// The file is not a transcript.
  package struct Malformed: Error {
    /// The line number, from 1.
    package let line: Int
  }

  /// The file's name.
  package let name: String
  /// The steps, in order.
  package let steps: [Step]

  /// Reads a file.
  package init(_ file: URL) throws {
    name = file.lastPathComponent
    var steps: [Step] = []
    let text = try String(contentsOf: file, encoding: .utf8)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let content = String(line.dropFirst(2))
      switch line.first {
      case nil, "#": continue
      case "$": steps.append(Step(line: index + 1, command: content))
      case ">" where !steps.isEmpty: steps[steps.count - 1].output.append(content)
      case "!" where !steps.isEmpty: steps[steps.count - 1].errors.append(content)
      case "=" where !steps.isEmpty:
        let words = content.split(separator: " ")
        guard let status = words.first.flatMap({ Int32($0) }),
          words.dropFirst().allSatisfy({ $0 == "unchanged" })
        else { throw Malformed(line: index + 1) }
        steps[steps.count - 1].status = status
        steps[steps.count - 1].isUnchanged = words.count > 1
      default: throw Malformed(line: index + 1)
      }
    }
    guard !steps.isEmpty else { throw Malformed(line: 1) }
    self.steps = steps
  }

  /// All transcripts of a folder, in the order of their names.
  package static func all(in folder: URL) throws -> [Transcript] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
      .sorted { $0.lastPathComponent < $1.lastPathComponent }
      .map(Transcript.init)
  }

  /// The differences between a step and its result; empty if there are none.
  package static func mismatches(_ step: Step, _ run: ShellHome.Run) -> [String] {
    var found: [String] = []
    if step.status != run.status { found.append("exit status \(run.status), not \(step.status)") }
    if !matches(step.output, run.output) { found.append("standard output:\n\(run.output)") }
    if !matches(step.errors, run.errors) { found.append("standard error:\n\(run.errors)") }
    if step.isUnchanged, !run.changes.isEmpty {
      found.append("changed: \(run.changes.joined(separator: ", "))")
    }
    return found
  }

  /// Whether the text has the lines; see above for the patterns.
  package static func matches(_ expected: [String], _ text: String) -> Bool {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return matches(expected[...], lines[...])
  }

  private static func matches(_ expected: ArraySlice<String>, _ lines: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return lines.isEmpty }
    let rest = expected.dropFirst()
    if first == "..." {
      return (lines.startIndex...lines.endIndex).contains { matches(rest, lines[$0...]) }
    }
    guard let line = lines.first, matches(line: line, first) else { return false }
    return matches(rest, lines.dropFirst())
  }

  private static func matches(line: String, _ pattern: String) -> Bool {
    let parts = pattern.components(separatedBy: "{*}")
    guard parts.count > 1 else { return line == pattern }
    guard line.hasPrefix(parts[0]) else { return false }
    var rest = line.dropFirst(parts[0].count)
    for part in parts.dropFirst().dropLast() {
      guard let range = rest.range(of: part) else { return false }
      rest = rest[range.upperBound...]
    }
    return rest.hasSuffix(parts[parts.count - 1])
  }
}
