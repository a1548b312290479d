/// The subset of YAML that tools write: mappings and lists by indentation, and values on one line.
///
/// Anything else makes the whole file one that is not understood: anchors, tags other than `!!null`
/// and `!!str`, values in brackets or on several lines, further documents.
struct YAMLText {
  private struct Level {
    let indent: Int
    let name: String
    /// Whether it is an element of a list.
    let isElement: Bool
  }

  private var levels: [Level] = []
  /// The number of elements of the list at an indentation.
  private var elements: [[String]: Int] = [:]
  private var leaves: [Leaf] = []

  static func leaves(_ bytes: [UInt8]) throws(PlaintextError) -> Leaves {
    var text = YAMLText()
    for line in TextLine.all(bytes) {
      try text.take(line, bytes)
    }
    return Leaves(text.leaves)
  }

  private mutating func take(_ line: TextLine, _ bytes: [UInt8]) throws(PlaintextError) {
    let fault = PlaintextError.notUnderstood(line: line.number)
    guard let text = line.text(bytes) else { throw fault }
    let content = text.trimmed
    if content.isEmpty || content.hasPrefix("#") { return }
    if text.hasPrefix("---") {
      guard text.trimmed == "---", leaves.isEmpty, levels.isEmpty else { throw fault }
      return
    }
    if text.hasPrefix("...") || text.hasPrefix("%") { throw fault }
    var indent = text.prefix { $0 == " " }.count
    var rest = text.dropFirst(indent)
    if rest.first == "\t" { throw fault }
    var isElement = false
    while rest.hasPrefix("- ") || rest == "-" {
      isElement = true
      // The elements of a list may stand below their name without indentation.
      levels.removeLast(
        levels.reversed().prefix { $0.indent > indent || $0.indent == indent && $0.isElement }.count
      )
      let path = levels.map(\.name)
      let number = elements[path, default: 0]
      elements[path] = number + 1
      levels.append(Level(indent: indent, name: "\(number)", isElement: true))
      let space = rest.dropFirst().prefix { $0 == " " }.count
      rest = rest.dropFirst(1 + space)
      indent += 1 + space
    }
    if isElement, rest.isEmpty { return }
    guard let (name, value) = try Self.pair(rest, fault) else {
      // An element that is a value itself.
      guard isElement, let scalar = Self.scalar(rest.trimmed) else { throw fault }
      leaves.append(
        Leaf(path: levels.map(\.name), value: scalar, cut: .kept("it is an element of a list")))
      return
    }
    if !isElement {
      levels.removeLast(levels.reversed().prefix { $0.indent >= indent }.count)
    }
    let path = levels.map(\.name) + [name]
    levels.append(Level(indent: indent, name: name, isElement: false))
    let written = value.trimmed
    if written.isEmpty || written.hasPrefix("#") { return }
    if ["{}", "[]"].contains(written) { return }
    guard let scalar = Self.scalar(written) else { throw fault }
    if Self.isNull(written, scalar) { return }
    leaves.append(
      Leaf(
        path: path, value: scalar,
        cut: isElement ? .kept("it stands first in an element of a list") : .bytes(line.range)))
    return
  }

  private static func pair(
    _ text: Substring, _ fault: PlaintextError
  ) throws(PlaintextError) -> (String, Substring)? {
    guard let first = text.first else { return nil }
    if "?&*!|>{[%@`".contains(first) { throw fault }
    if first == "\"" || first == "'" {
      guard let end = text.dropFirst().firstIndex(of: first) else { throw fault }
      let rest = text[text.index(after: end)...].drop { $0 == " " }
      guard rest.first == ":" else { return nil }
      let name = String(text.dropFirst()[..<end])
      guard !name.contains("\\") else { throw fault }
      return (name, rest.dropFirst())
    }
    var at = text.startIndex
    while let colon = text[at...].firstIndex(of: ":") {
      let next = text.index(after: colon)
      if next == text.endIndex || text[next] == " " {
        let name = String(text[..<colon]).trimmed
        guard !name.contains(" #") else { return nil }
        return (name, text[next...])
      }
      at = next
    }
    return nil
  }

  /// Whether a value is none at all.
  private static func isNull(_ written: String, _ scalar: String) -> Bool {
    ["~", "null", "Null", "NULL"].contains(scalar) && !written.hasPrefix("!!str")
      && !written.contains { $0 == "\"" || $0 == "'" }
  }

  /// The text of a value on one line; nil for any other form.
  private static func scalar(_ written: String) -> String? {
    var text = written[...]
    for tag in ["!!null ", "!!str "] where text.hasPrefix(tag) { text = text.dropFirst(tag.count) }
    guard let first = text.first, !"&*!|>{}[]%@`,".contains(first) else { return nil }
    if first == "\"" || first == "'" {
      guard let end = text.dropFirst().firstIndex(of: first) else { return nil }
      let rest = text[text.index(after: end)...]
      let inner = text.dropFirst()[..<end]
      guard rest.trimmed.isEmpty || rest.hasPrefix(" #"), first == "'" || !inner.contains("\\")
      else { return nil }
      return String(inner)
    }
    if text.contains(": ") || text.hasSuffix(":") { return nil }
    var end = text.endIndex
    var at = text.startIndex
    while let sharp = text[at...].firstIndex(of: "#") {
      if sharp > text.startIndex, text[text.index(before: sharp)] == " " {
        end = sharp
        break
      }
      at = text.index(after: sharp)
    }
    return text[..<end].trimmed
  }
}
