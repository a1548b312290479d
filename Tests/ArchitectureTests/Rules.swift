/// The rules that every source file must follow.
enum Rules {
  static func imports(_ file: SourceFile) -> [Violation] {
    guard let allowed = ImportTable.allowed[file.module] else {
      return [
        Violation(path: file.path, line: 1, rule: "\(file.module) is not in ImportTable.allowed")
      ]
    }
    return file.code.flatMap { number, text in
      imported(text).flatMap { name, access -> [Violation] in
        var broken: [String] = []
        if !allowed.contains(name) {
          broken.append("\(file.module) may not import \(name)")
        }
        if ImportTable.cModules.contains(name), access != "internal" {
          broken.append(
            "\(name) is a C module: `internal import` keeps its types out of signatures")
        }
        return broken.map { Violation(path: file.path, line: number, rule: $0) }
      }
    }
  }

  private static func imported(_ code: String) -> [(name: String, access: String)] {
    // Attributes and access levels may precede `import`; a kind, as in `import struct A.B`, may
    // follow it.
    let words = code.split(whereSeparator: { $0 == " " || $0 == ";" }).map(String.init)
    guard let keyword = words.firstIndex(of: "import"), keyword + 1 < words.count,
      words[..<keyword].allSatisfy({
        $0.hasPrefix("@")
          || ["public", "package", "internal", "fileprivate", "private"].contains($0)
      })
    else { return [] }
    let kinds: Set = ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"]
    let path =
      kinds.contains(words[keyword + 1]) ? words.dropFirst(keyword + 2).first : words[keyword + 1]
    guard let name = path?.split(separator: ".").first else { return [] }
    let access = words[..<keyword].last { !$0.hasPrefix("@") } ?? ""
    return [(String(name), access)]
  }

  static func includes(_ file: SourceFile) -> [Violation] {
    file.lines.flatMap { number, text -> [Violation] in
      let trimmed = text.drop { $0 == " " || $0 == "#" }
      guard text.contains("#"), trimmed.hasPrefix("include") else { return [] }
      let header = trimmed.dropFirst("include".count).drop { " <\"".contains($0) }
      return ImportTable.headers.filter { header.hasPrefix($0.key) }
        .filter { !$0.value.contains(file.module) }
        .map { _ in
          Violation(
            path: file.path, line: number, rule: "\(file.module) may not include \(header)")
        }
    }
  }

  static func banned(_ file: SourceFile) -> [Violation] {
    let code = file.code
    let original = file.lines
    return zip(code, original).flatMap { code, original -> [Violation] in
      var broken = always.filter { has($0.word, in: code.text) }.map(\.rule)
      if has("try?", in: code.text), !original.text.contains("// absent is an answer: ") {
        broken.append("`try?` drops an error; where nil is a valid answer, say why behind it")
      }
      if code.text.contains(/reveal\(\) [!=]= |[!=]= [\w.$?]*reveal\(\)/) {
        broken.append("`==` takes as long as two secrets agree; use ConstantTime.equal")
      }
      if !ImportTable.programs.contains(file.module) {
        broken += outsidePrograms.filter { has($0, in: code.text) }
          .filter {
            !["environ", "getenv("].contains($0) || file.path != ImportTable.environmentReader
          }
          .map { "`\($0)` is for programs, not for libraries" }
      }
      return broken.map { Violation(path: file.path, line: code.number, rule: $0) }
    }
  }

  private static let always: [(word: String, rule: String)] = [
    ("try!", "`try!` turns an error into a crash"),
    ("as!", "`as!` turns a wrong type into a crash"),
    ("fatalError", "`fatalError` turns an input into a crash"),
  ]

  private static let outsidePrograms = [
    "print(", "debugPrint(", "dump(", "getenv(", "secure_getenv(", "setenv(", "exit(", "_exit(",
    "ProcessInfo", "CommandLine", "readLine(", "environ",
  ]

  /// Whether the code has the word, and not as a part of another word or as a member.
  private static func has(_ word: String, in code: String) -> Bool {
    code.ranges(of: word).contains { range in
      if let before = code[..<range.lowerBound].last,
        before == "_" || before == "." || before.isLetter || before.isNumber
      {
        // A C function called through its module is still that function.
        return ["Glibc.", "Swift."].contains { code[..<range.lowerBound].hasSuffix($0) }
      }
      guard let last = word.last, last.isLetter, range.upperBound < code.endIndex else {
        return true
      }
      let after = code[range.upperBound]
      return !(after == "_" || after.isLetter || after.isNumber)
    }
  }

  /// A `catch` for any error that does nothing, or only discards the error, drops it as `try?` does.
  /// One that names the error it expects, as in `catch .refused`, is a decision and allowed.
  static func droppedErrors(_ file: SourceFile) -> [Violation] {
    // The one place that does it for all others.
    if file.path == "Sources/TokenVaultSystem/BestEffort.swift" { return [] }
    let code = file.code.map(\.text).joined(separator: "\n")
    let dropping = /\bcatch\s*(?:let\s+\w+(?:\s+as\s+\w+)?\s*)?\{\s*(?:_\s*=\s*\w+\s*;?\s*)*\}/
    return code.matches(of: dropping).map { match in
      Violation(
        path: file.path, line: line(of: match.range.lowerBound, in: code),
        rule: "this `catch` drops an error: use `bestEffort`, which takes the reason")
    }
  }

  static func line(of index: String.Index, in text: String) -> Int {
    text[..<index].count { $0 == "\n" } + 1
  }

  static let mostLines = 400

  static func size(_ file: SourceFile) -> [Violation] {
    let count = file.text.split(separator: "\n", omittingEmptySubsequences: false).count
    guard count > mostLines + 1 else { return [] }
    return [
      Violation(
        path: file.path, line: mostLines + 1,
        rule: "a file has one subject and at most \(mostLines) lines")
    ]
  }

  static func homes(_ file: SourceFile) -> [Violation] {
    file.lines.filter { line in
      // Concatenated, so that this file does not break its own rule.
      ["/home", "/root", "/Users", "/work"].contains { line.text.contains("\"\($0)/") }
    }.map {
      Violation(path: file.path, line: $0.number, rule: "a path of one machine")
    }
  }
}
