extension Rules {
  /// A file has the name of a type in it, so that the listing of a directory is its table of
  /// contents: `Type.swift` declares `Type`, and `Type+Topic.swift` extends it. A file that declares
  /// no type may have the name of a function in it.
  static func fileName(_ file: SourceFile) -> [Violation] {
    guard let last = file.path.split(separator: "/").last, last.hasSuffix(".swift") else {
      return []
    }
    let name = String(last.dropLast(".swift".count))
    if name == "main" || name == "Package" { return [] }
    let code = topLevel(file)
    let parts = name.split(separator: "+", maxSplits: 1)
    let found: Bool
    if parts.count == 2 {
      found = extended(in: code).contains(String(parts[0]))
    } else {
      let types = declared(in: code)
      found = types.isEmpty ? functions(in: code).contains(name) : types.contains(name)
    }
    if found { return [] }
    return [
      Violation(
        path: file.path, line: 1,
        rule: "a file has the name of a type in it, or is called Type+Topic.swift and extends Type")
    ]
  }

  /// The code without the indentation that belongs to `#if`.
  private static func topLevel(_ file: SourceFile) -> String {
    var depth = 0
    return file.code.map { _, text in
      let directive = text.drop { $0 == " " }
      if directive.hasPrefix("#endif") { depth -= 1 }
      defer { if directive.hasPrefix("#if") { depth += 1 } }
      return text.hasPrefix(String(repeating: "  ", count: depth))
        ? String(text.dropFirst(2 * depth)) : text
    }.joined(separator: "\n")
  }

  /// Types that are declared at the top level of a file.
  private static func declared(in code: String) -> Set<String> {
    Set(
      code.matches(
        of: /(?m)^(?:@.*\) +)?(?:[\w@()]+ +)*?(?:class|struct|enum|actor|protocol|typealias) +(\w+)/
      ).map { String($0.output.1) })
  }

  /// Types that a file extends; of `Outer.Inner` both names.
  private static func extended(in code: String) -> Set<String> {
    Set(
      code.matches(of: /(?m)^(?:[\w@]+ +)*?extension +([\w.]+)/)
        .flatMap { $0.output.1.split(separator: ".") }.map(String.init))
  }

  /// Functions at the top level of a file, written as a file name is.
  private static func functions(in code: String) -> Set<String> {
    Set(
      code.matches(of: /(?m)^(?:[\w@]+ +)*?func +(\w+)/)
        .map { $0.output.1.prefix(1).uppercased() + $0.output.1.dropFirst() })
  }
}
