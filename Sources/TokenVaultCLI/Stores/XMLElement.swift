/// An element of an XML document, for files that another program exported. Documents with their own
/// entities are refused, so that no text stands for more than itself.
struct XMLElement {
  let name: String
  var attributes: [String: String] = [:]
  var children: [XMLElement] = []
  var text = ""

  /// The first child of a name.
  func child(_ name: String) -> XMLElement? { children.first { $0.name == name } }

  /// The text of a child; empty without one.
  func text(of name: String) -> String { child(name)?.text ?? "" }

  /// The root of a document; nil if it is not well-formed, as far as this reader looks.
  init?(parsing bytes: [UInt8]) {
    var parser = XMLParser(rest: bytes[...])
    guard let root = parser.document() else { return nil }
    self = root
  }

  init(name: String) { self.name = name }
}

/// Reads elements, attributes, text, CDATA sections and comments.
private struct XMLParser {
  var rest: ArraySlice<UInt8>
  /// Groups of entries lie in one another; nobody has that many.
  private static let deepest = 256

  init(rest: ArraySlice<UInt8>) { self.rest = rest }

  mutating func document() -> XMLElement? {
    if rest.starts(with: [0xef, 0xbb, 0xbf]) { rest.removeFirst(3) }
    var open: [XMLElement] = []
    while true {
      guard let text = upTo("<") else { return nil }
      if open.isEmpty {
        guard text.allSatisfy({ $0 <= 0x20 }) else { return nil }
      } else {
        guard let plain = Self.unescaped(text) else { return nil }
        open[open.count - 1].text += plain
      }
      if take("!--") {
        guard upTo("-->") != nil else { return nil }
      } else if take("?") {
        guard upTo("?>") != nil else { return nil }
      } else if take("![CDATA[") {
        guard !open.isEmpty, let text = upTo("]]>") else { return nil }
        open[open.count - 1].text += String(decoding: text, as: UTF8.self)
      } else if take("/") {
        guard let tag = upTo(">"), var done = open.popLast(),
          String(decoding: tag, as: UTF8.self).trimmed == done.name
        else { return nil }
        // The text between children only indents them.
        if !done.children.isEmpty { done.text = "" }
        guard !open.isEmpty else { return done }
        open[open.count - 1].children.append(done)
      } else {
        guard let (element, isEmpty) = start(), open.count < Self.deepest else { return nil }
        if !isEmpty {
          open.append(element)
        } else if open.isEmpty {
          return element
        } else {
          open[open.count - 1].children.append(element)
        }
      }
    }
  }

  /// The start of an element, behind its "<", and whether it is empty.
  private mutating func start() -> (XMLElement, Bool)? {
    let name = word()
    guard !name.isEmpty else { return nil }
    var element = XMLElement(name: name)
    while true {
      skipSpace()
      if take("/>") { return (element, true) }
      if take(">") { return (element, false) }
      let name = word()
      skipSpace()
      guard !name.isEmpty, take("=") else { return nil }
      skipSpace()
      guard let quote = rest.popFirst(), quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
        let end = rest.firstIndex(of: quote), let value = Self.unescaped(rest[..<end])
      else { return nil }
      element.attributes[name] = value
      rest = rest[(end + 1)...]
    }
  }

  private mutating func word() -> String {
    let end = rest.firstIndex { $0 <= 0x20 || "/>=<\"'!".utf8.contains($0) } ?? rest.endIndex
    defer { rest = rest[end...] }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  private mutating func skipSpace() { rest = rest.drop { $0 <= 0x20 } }

  private mutating func take(_ text: String) -> Bool {
    guard rest.starts(with: text.utf8) else { return false }
    rest = rest.dropFirst(text.utf8.count)
    return true
  }

  /// The bytes before a text, which is skipped; nil if it does not follow.
  private mutating func upTo(_ text: String) -> ArraySlice<UInt8>? {
    let first = Array(text.utf8)[0]
    var place = rest.startIndex
    while let found = rest[place...].firstIndex(of: first) {
      if rest[found...].starts(with: text.utf8) {
        defer { rest = rest[(found + text.utf8.count)...] }
        return rest[..<found]
      }
      place = found + 1
    }
    return nil
  }

  /// The text with its references resolved; nil for one that XML does not define.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String? {
    guard bytes.contains(UInt8(ascii: "&")) else { return String(decoding: bytes, as: UTF8.self) }
    var plain: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "&") else {
        plain.append(byte)
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else { return nil }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      guard let text = named[name] ?? numbered(name) else { return nil }
      plain += Array(text.utf8)
    }
    return String(decoding: plain, as: UTF8.self)
  }

  private static let named = ["lt": "<", "gt": ">", "amp": "&", "quot": "\"", "apos": "'"]

  private static func numbered(_ name: String) -> String? {
    guard name.hasPrefix("#") else { return nil }
    let digits = name.dropFirst()
    let value =
      digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits, radix: 10)
    return value.flatMap(Unicode.Scalar.init).map { String(Character($0)) }
  }
}

extension String {
  fileprivate var trimmed: String { String(self.drop { $0 == " " }.prefix { !$0.isWhitespace }) }
}
