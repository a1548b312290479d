/// Text in the language of manual pages, mdoc(7).
enum Mdoc {
  /// Lines of running text, of at most 80 characters, with a new line for each sentence. A hyphen
  /// before a word is the minus sign of an option, which a reader can copy; words in backticks are
  /// bold.
  static func lines(_ text: String) -> [String] {
    bold(minus(escaped(text))).replacing(/(?<end>[.!?]\)?) +/) { "\($0.end)\n" }
      .split(separator: "\n").flatMap { wrapped($0) }.map(line)
  }

  private static func wrapped(_ text: Substring) -> [String] {
    text.split(separator: " ").reduce(into: [String]()) { lines, word in
      if let last = lines.last, last.count + word.count < 78 {
        lines[lines.count - 1] = last + " " + word
      } else {
        lines.append(String(word))
      }
    }
  }

  /// Lines that are shown as they are.
  static func display(_ lines: [Substring]) -> [String] {
    [".Bd -literal -offset indent"]
      + lines.map { line(escaped(String($0)).replacing("-", with: "\\-")) } + [".Ed"]
  }

  /// The argument of a macro.
  static func word(_ text: String) -> String {
    let text = escaped(text).replacing("\"", with: "\\(dq")
    return text.contains(" ") ? "\"\(text)\"" : text
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("…", with: "...")
  }

  private static func minus(_ text: String) -> String {
    text.replacing(/(?<before>^|[\s`(])(?<dashes>--?)(?=[a-z])/) { match in
      match.before + match.dashes.replacing("-", with: "\\-")
    }
  }

  private static func bold(_ text: String) -> String {
    text.replacing(/`(?<code>[^`]+)`/) { "\\fB\($0.code)\\fR" }
  }

  /// A line that begins with a dot or an apostrophe would be a macro.
  private static func line(_ text: String) -> String {
    text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" + text : text
  }
}
