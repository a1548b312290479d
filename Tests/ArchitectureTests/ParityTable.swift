import Foundation

/// The rows of docs/msal-parity.md, compared with the tests that they name.
enum ParityTable {
  struct Row {
    var line: Int
    var text: Substring
    /// The names in the first column.
    var subjects: [String]
    /// The tests that the row names; nil if it does not work here.
    var tests: [String]?
  }

  static func rows(of document: SourceFile) -> [Row] {
    document.lines.filter { $0.text.hasPrefix("| ") && !$0.text.hasPrefix("| --- ") }
      .filter { !$0.text.hasSuffix(" | here | state |") }
      .map { number, text in
        let subject = text.dropFirst(2).prefix { $0 != "|" }
        return Row(
          line: number, text: text,
          subjects: subject.filter { $0 != "`" }.components(separatedBy: ", ")
            .map { $0.trimmingCharacters(in: .whitespaces) },
          tests: text.firstMatch(of: /works \[test: ([^\]|]+)\] \|$/).map {
            String($0.output.1).components(separatedBy: ", ")
          })
      }
  }

  /// Whether a row has one of the four states, with a test or a reason.
  static func hasState(_ row: Substring) -> Bool {
    row.wholeMatch(of: /\| [^|]+ \| [^|]+ \| works \[test: [^\]|]+\] \|/) != nil
      || row.wholeMatch(
        of: /\| [^|]+ \| \| (?:planned|left out|not applicable on Linux): [^|]{10,} \|/) != nil
  }

  /// The subjects in the `.parity(…)` trait of each test.
  static func traits(in files: [SourceFile]) -> [String: Set<String>] {
    var traits: [String: Set<String>] = [:]
    for file in files {
      for test in file.text.matches(of: /@Test\b([\s\S]*?)\bfunc\s+(\w+)/) {
        guard let trait = test.output.1.firstMatch(of: /\.parity\(([^)]*)\)/) else { continue }
        traits[String(test.output.2), default: []].formUnion(
          trait.output.1.matches(of: /"([^"]*)"/).map { String($0.output.1) })
      }
    }
    return traits
  }

  /// The differences between the rows and the traits of the tests that they name.
  static func contradictions(_ rows: [Row], _ traits: [String: Set<String>]) -> [String] {
    var found: [String] = []
    var claims: [String: Set<String>] = [:]
    for row in rows {
      for test in row.tests ?? [] {
        claims[test, default: []].formUnion(row.subjects)
        if traits[test, default: []].isDisjoint(with: row.subjects) {
          found.append("line \(row.line): the trait of \(test) has no subject of the row")
        }
      }
      guard let tests = row.tests else { continue }
      for subject in row.subjects
      where !tests.contains(where: { traits[$0]?.contains(subject) == true }) {
        found.append("line \(row.line): no test of the row has \(subject) in its trait")
      }
    }
    for (test, subjects) in traits {
      for subject in subjects.subtracting(claims[test] ?? []) {
        found.append("\(test): no row with \(subject) names the test")
      }
    }
    let repeated = Dictionary(grouping: rows.flatMap(\.subjects)) { $0 }.filter { $1.count > 1 }
    return (found + repeated.keys.map { "several rows have \($0)" }).sorted()
  }
}
