/// The subset of TOML that tools write for credentials: tables, and values on one line.
enum TOMLText {
  static func leaves(_ bytes: [UInt8]) throws(PlaintextError) -> Leaves {
    var leaves: [Leaf] = []
    var table: [String] = []
    for line in TextLine.all(bytes) {
      let fault = PlaintextError.notUnderstood(line: line.number)
      guard let text = line.text(bytes)?.trimmed else { throw fault }
      if text.isEmpty || text.hasPrefix("#") { continue }
      if text.hasPrefix("[") {
        guard !text.hasPrefix("[["), let (path, rest) = keys(text.dropFirst()),
          rest.first == "]", isEnd(rest.dropFirst())
        else { throw fault }
        table = path
        continue
      }
      guard let (path, rest) = keys(text[...]), rest.first == "=" else { throw fault }
      let written = rest.dropFirst().trimmed
      guard let value = scalar(written) else { throw fault }
      leaves.append(Leaf(path: table + path, value: value.text, cut: .bytes(line.range)))
    }
    return Leaves(leaves)
  }

  /// Dotted names, and what follows them.
  private static func keys(_ text: Substring) -> ([String], Substring)? {
    var (names, rest): ([String], Substring) = ([], text)
    while true {
      rest = rest.drop { $0 == " " || $0 == "\t" }
      if let quote = rest.first, quote == "\"" || quote == "'" {
        guard let (name, end) = quoted(rest) else { return nil }
        names.append(name)
        rest = end
      } else {
        let name = rest.prefix {
          $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" || $0 == "-"
        }
        guard !name.isEmpty else { return nil }
        names.append(String(name))
        rest = rest.dropFirst(name.count)
      }
      rest = rest.drop { $0 == " " || $0 == "\t" }
      guard rest.first == "." else { return (names, rest) }
      rest = rest.dropFirst()
    }
  }

  /// A text in quotes without escapes, and what follows it.
  private static func quoted(_ text: Substring) -> (String, Substring)? {
    guard let quote = text.first, !text.hasPrefix("\"\"\""), !text.hasPrefix("'''"),
      let end = text.dropFirst().firstIndex(of: quote)
    else { return nil }
    let inner = text[text.index(after: text.startIndex)..<end]
    guard quote == "'" || !inner.contains("\\") else { return nil }
    return (String(inner), text[text.index(after: end)...])
  }

  private static func scalar(_ text: String) -> (text: String?, isEnd: Bool)? {
    if text.hasPrefix("\"") || text.hasPrefix("'") {
      guard let (value, rest) = quoted(text[...]), isEnd(rest) else { return nil }
      return (value, true)
    }
    // A list on one line has no part that goes on.
    if text.hasPrefix("["), !text.dropFirst().contains("["), let end = text.firstIndex(of: "]"),
      isEnd(text[text.index(after: end)...]), !text.contains("\\")
    {
      return (nil, true)
    }
    guard let first = text.first, first.isLetter || first.isNumber || "+-".contains(first) else {
      return nil
    }
    return (nil, true)
  }

  private static func isEnd(_ rest: Substring) -> Bool {
    rest.trimmed.isEmpty || rest.trimmed.hasPrefix("#")
  }
}
