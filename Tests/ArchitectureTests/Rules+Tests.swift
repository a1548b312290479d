extension Rules {
  /// The rules of test suites: a hanging test fails, and names are written in one style.
  static func tests(_ file: SourceFile) -> [Violation] {
    let code = file.code.map(\.text).joined(separator: "\n")
    return (unlimitedSuites(in: code) + displayNames(in: code) + functionNames(in: code))
      .map { Violation(path: file.path, line: $0.line, rule: $0.rule) }
  }

  private typealias Finding = (line: Int, rule: String)

  private static func unlimitedSuites(in code: String) -> [Finding] {
    code.matches(of: /@Suite\b(\([^@{]*?\))?\s*(?:@?\w+\s+)*?(?:struct|class|actor|enum)\s/)
      .filter { suite in
        guard
          let limit = suite.output.1?.firstMatch(of: /\.timeLimit\(\.minutes\((\d+)\)\)/),
          let minutes = Int(limit.output.1)
        else { return true }
        return !(1...10).contains(minutes)
      }
      .map {
        (
          line(of: $0.range.lowerBound, in: code),
          "a suite has a time limit: @Suite(.timeLimit(.minutes(1...10)))"
        )
      }
  }

  private static func displayNames(in code: String) -> [Finding] {
    // `code` has no string literals, so that a display name leaves nothing before the comma.
    code.matches(of: /@(?:Test|Suite)\s*\(\s*[,)]/).map {
      (line(of: $0.range.lowerBound, in: code), "a test has no display name but its own name")
    }
  }

  private static func functionNames(in code: String) -> [Finding] {
    code.matches(of: /@Test\b[^{]*?\bfunc\s+(`[^`]*`|\w+)/)
      .filter { $0.output.1.wholeMatch(of: /[a-z][A-Za-z0-9_]*/) == nil }
      .map { (line(of: $0.range.lowerBound, in: code), "a test's name is written in camelCase") }
  }

  /// Types with tests in them that are suites with a time limit in none of the files.
  static func testsOutsideSuites(_ files: [SourceFile]) -> [Violation] {
    // A file is told from others with suites of the same name by its module.
    var suites: Set<String> = []
    for file in files {
      let code = file.code.map(\.text).joined(separator: "\n")
      for match in code.matches(
        of: /(?m)^@Suite\b[^{]*?\b(?:struct|class|actor|enum)\s+(\w+)/)
      {
        suites.insert("\(file.module).\(match.output.1)")
      }
    }
    return files.flatMap { file -> [Violation] in
      var type: String?
      return file.code.compactMap { number, text in
        if let match = text.firstMatch(
          of: /^(?:@.*\) +)?(?:[\w@]+ +)*?(?:struct|class|actor|enum|extension) +(\w+)/)
        {
          type = String(match.output.1)
        }
        if text == "}" { type = nil }
        guard text.contains(/^\s*@Test\b/) else { return nil }
        if let type, suites.contains("\(file.module).\(type)") { return nil }
        return Violation(
          path: file.path, line: number, rule: "a test is in a type with @Suite and a time limit")
      }
    }
  }
}
