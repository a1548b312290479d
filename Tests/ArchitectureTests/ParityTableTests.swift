import Testing

/// Every row of docs/msal-parity.md either works, with a test, or says why it does not apply.
@Suite(.timeLimit(.minutes(3)))
struct ParityTableTests {
  @Test func everyRowWorksOrGivesItsReason() throws {
    let document = try Checkout.file("docs/msal-parity.md")
    let rows = document.lines.filter { $0.text.hasPrefix("| ") }
      .filter { !$0.text.hasPrefix("| MSAL |") && !$0.text.hasPrefix("| --- ") }
    #expect(rows.count > 150)
    for row in rows where !Self.isDecided(row.text) {
      Issue.record("\(document.path):\(row.number): \(row.text)")
    }
  }

  @Test func aRowWithoutATestOrAReasonIsFound() {
    #expect(Self.isDecided("| `a` | `b()` | works [test: c] |"))
    #expect(Self.isDecided("| `a` | | not applicable on Linux: nobody has it |"))
    for row in [
      "| `a` | `b()` | works |", "| `a` | | works [test: c] |", "| `a` | `b()` | partly |",
      "| `a` | | not applicable on Linux: |", "| `a` | | planned [test: c] |",
    ] {
      #expect(!Self.isDecided(row[...]), "\(row)")
    }
  }

  private static func isDecided(_ row: Substring) -> Bool {
    row.wholeMatch(of: /\| [^|]+ \| [^|]+ \| works \[test: [^\]|]+\] \|/) != nil
      || row.wholeMatch(of: /\| [^|]+ \| \| not applicable on Linux: [^|]{10,} \|/) != nil
  }
}
