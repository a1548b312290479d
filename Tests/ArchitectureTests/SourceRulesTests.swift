import Testing

/// The rules of CONTRIBUTING.md that can be read off the sources.
@Suite(.timeLimit(.minutes(3)))
struct SourceRulesTests {
  let sources: [SourceFile]
  let tests: [SourceFile]

  init() throws {
    sources =
      try Checkout.files(in: "Sources", endings: ["swift", "c", "h"])
      + Checkout.files(in: "Examples", endings: ["swift", "c", "h"])
    tests = try Checkout.files(in: "Tests", endings: ["swift"])
  }

  var swift: [SourceFile] { sources.filter { $0.path.hasSuffix(".swift") } }

  @Test func noErrorBecomesACrashOrIsDroppedUnnoticed() {
    let shipped = swift.filter { $0.module != "TokenVaultTestSupport" }
    expectNone(shipped.flatMap(Rules.banned))
    expectNone(shipped.flatMap(Rules.droppedErrors))
  }

  @Test func aFileIsSmall() {
    expectNone((sources + tests).flatMap(Rules.size))
  }

  @Test func aFileHasTheNameOfATypeInIt() throws {
    let benchmarks = try Checkout.files(in: "Benchmarks/Sources", endings: ["swift"])
    expectNone((swift + tests + benchmarks).flatMap(Rules.fileName))
  }

  /// Everything else passes an account on as a value: text that is parsed twice can mean two accounts.
  @Test func onlyTheProgramsReadAnAccountFromText() {
    let parsers = swift.filter { file in
      file.code.contains { $0.text.contains(/AccountReference(?:\.init)?\(parsing:/) }
    }
    #expect(
      Set(parsers.map(\.module)) == ["TokenVaultCLI", "TokenVaultFront", "TokenVaultTestSupport"])
  }

  @Test func noPathOfOneMachineIsInTheSources() {
    expectNone((sources + tests).flatMap(Rules.homes))
  }

  @Test func everySuiteHasATimeLimitAndEveryTestOneKindOfName() {
    #expect(tests.contains { $0.path.hasSuffix("/SourceRulesTests.swift") })
    expectNone(tests.flatMap(Rules.tests))
    expectNone(Rules.testsOutsideSuites(tests))
  }
}

/// Records one issue for each violation.
func expectNone(_ violations: [Violation]) {
  for violation in violations { Issue.record("\(violation)") }
}
