import Testing

/// Every row of docs/msal-parity.md works, with tests that assert on its subjects, or gives its
/// reason.
@Suite(.timeLimit(.minutes(3)))
struct ParityTableTests {
  private static let document = "docs/msal-parity.md"

  @Test func everyRowWorksOrGivesItsReason() throws {
    let rows = ParityTable.rows(of: try Checkout.file(Self.document))
    #expect(rows.count > 230)
    for row in rows where !ParityTable.hasState(row.text) {
      Issue.record("\(Self.document):\(row.line): \(row.text)")
    }
  }

  @Test func everyRowsTestAssertsOnItsSubjects() throws {
    let rows = ParityTable.rows(of: try Checkout.file(Self.document))
    // The examples below are not tests.
    let files = try Checkout.files(in: "Tests", endings: ["swift"])
      .filter { $0.module != "ArchitectureTests" }
    let traits = ParityTable.traits(in: files)
    #expect(traits.count > 90)
    for contradiction in ParityTable.contradictions(rows, traits) {
      Issue.record("\(Self.document): \(contradiction)")
    }
  }

  @Test func aRowWithoutATestOrAReasonIsFound() {
    for row in [
      "| `a` | `b()` | works [test: c] |", "| `a` | | not applicable on Linux: Apple has it |",
      "| `a` | | planned: it is for later |", "| `a` | | left out: it has no use here |",
    ] {
      #expect(ParityTable.hasState(row[...]), "\(row)")
    }
    for row in [
      "| `a` | `b()` | works |", "| `a` | | works [test: c] |", "| `a` | `b()` | partly |",
      "| `a` | | not applicable on Linux: |", "| `a` | | planned [test: c] |",
      "| `a` | | left out |", "| `a` | `b()` | left out: it has no use here |",
    ] {
      #expect(!ParityTable.hasState(row[...]), "\(row)")
    }
  }

  @Test func aTraitThatContradictsTheTableIsFound() {
    let rows = ParityTable.rows(
      of: SourceFile(
        path: "docs/a.md",
        text: """
          | MSAL | here | state |
          | --- | --- | --- |
          | `a.b`, `a.c` | `x()` | works [test: first, second] |
          | `d` -42 | `y()` | works [test: third] |
          | `e` | | left out: it has no use here |
          | `a.c` | | planned: it is for later |
          """))
    #expect(rows.map(\.subjects) == [["a.b", "a.c"], ["d -42"], ["e"], ["a.c"]])
    let traits = ParityTable.traits(in: [
      SourceFile(
        path: "Tests/T/F.swift",
        text: """
          @Test(.parity("a.b", "e"), arguments: [1, 2])
          func first(n: Int) {}
          @Test(
            .parity(
              "d -42")) @MainActor func second() {}
          @Test func third() {}
          """)
    ])
    #expect(traits == ["first": ["a.b", "e"], "second": ["d -42"]])
    #expect(
      ParityTable.contradictions(rows, traits) == [
        "first: no row with e names the test",
        "line 3: no test of the row has a.c in its trait",
        "line 3: the trait of second has no subject of the row",
        "line 4: no test of the row has d -42 in its trait",
        "line 4: the trait of third has no subject of the row",
        "second: no row with d -42 names the test",
        "several rows have a.c",
      ])
  }
}
