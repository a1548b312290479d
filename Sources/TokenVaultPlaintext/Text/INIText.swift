/// A file of sections with lines `name = value`.
enum INIText {
  /// The program that reads the file decides what a line means.
  enum Dialect {
    /// Python's configparser, as in pip, twine and the AWS CLI: an indented line continues the value.
    case python
    /// npm's ini: `=` alone separates, a value may be quoted, and a comment may follow it.
    case npm
    /// rclone's goconfig.
    case rclone
  }

  static func leaves(_ bytes: [UInt8], _ dialect: Dialect) -> Leaves {
    var leaves: [Leaf] = []
    var section = ""
    /// The indentation of the value that a deeper line continues; nil for none.
    var indent: Int?
    for line in TextLine.all(bytes) {
      guard let text = line.text(bytes) else { continue }
      let content = text.trimmed
      if content.isEmpty { continue }
      let own = text.prefix { $0 == " " || $0 == "\t" }.count
      if dialect == .python, let indent, own > indent, let last = leaves.last {
        // The value goes on, so that the line before cannot be taken out alone.
        leaves[leaves.count - 1] = Leaf(
          path: last.path, value: nil, cut: .kept("its value continues on another line"))
        continue
      }
      if content.hasPrefix("#") || content.hasPrefix(";") { continue }
      if content.hasPrefix("["), let end = content.lastIndex(of: "]") {
        indent = nil
        section = String(content[content.index(after: content.startIndex)..<end])
        continue
      }
      indent = own
      let separators = dialect == .python ? "=:" : "="
      guard let separator = content.firstIndex(where: { separators.contains($0) }) else { continue }
      let name = String(content[..<separator]).trimmed
      let value = String(content[content.index(after: separator)...]).trimmed
      leaves.append(
        Leaf(
          path: [section, dialect == .python ? name.lowercased() : name],
          value: dialect == .npm ? unquoted(value) : value, cut: .bytes(line.range)))
    }
    return Leaves(leaves)
  }

  private static func unquoted(_ value: String) -> String? {
    guard let first = value.first, first == "\"" || first == "'" else {
      guard !value.contains("\\") else { return nil }
      return String(value.prefix { $0 != ";" && $0 != "#" }).trimmed
    }
    guard value.count >= 2, value.last == first else { return value }
    let inner = value.dropFirst().dropLast()
    return inner.contains("\\") || inner.contains(first) ? nil : String(inner)
  }
}
