/// A JSON value that loses nothing on its way through: numbers stay the text they were.
///
/// Foundation is not used because a token is read by programs that start for one answer, and
/// loading Foundation costs more than the answer.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The literal as it stood in the text, or as this process writes it.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in the order of the text; of a name that stood twice only the last is left.
  case object([Member])

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of an object's member; nil for other values and absent names.
  package subscript(name: String) -> JSONValue? {
    members?.first { $0.name == name }?.value
  }

  /// The members of an object; nil for other values.
  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements of an array; nil for other values.
  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The text of a string; nil for other values.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// Whether it is an object or array without content.
  package var isEmptyContainer: Bool {
    switch self {
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    case .null, .bool, .number, .string: false
    }
  }

  /// The text without spaces, names in the order of their bytes: equal values, equal bytes.
  package var bytes: [UInt8] {
    var out: [UInt8] = []
    write(to: &out)
    return out
  }

  private func write(to out: inout [UInt8]) {
    switch self {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let literal): out += literal.utf8
    case .string(let text): Self.write(text, to: &out)
    case .array(let elements):
      out.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        element.write(to: &out)
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.name.precedesInBytes($1.name) }).enumerated() {
        if index > 0 { out.append(UInt8(ascii: ",")) }
        Self.write(member.name, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// The text for files that people read and edit: two spaces a level, members in their order.
  package var prettyBytes: [UInt8] {
    var out: [UInt8] = []
    writePretty(to: &out, indent: 0)
    out.append(UInt8(ascii: "\n"))
    return out
  }

  private func writePretty(to out: inout [UInt8], indent: Int) {
    guard !isEmptyContainer else { return write(to: &out) }
    switch self {
    case .null, .bool, .number, .string: write(to: &out)
    case .array(let elements):
      Self.writeLines(elements, "[", "]", to: &out, indent: indent) { element, out in
        element.writePretty(to: &out, indent: indent + 1)
      }
    case .object(let members):
      Self.writeLines(members, "{", "}", to: &out, indent: indent) { member, out in
        Self.write(member.name, to: &out)
        out += ": ".utf8
        member.value.writePretty(to: &out, indent: indent + 1)
      }
    }
  }

  private static func writeLines<Item>(
    _ items: [Item], _ open: String, _ close: String, to out: inout [UInt8], indent: Int,
    _ write: (Item, inout [UInt8]) -> Void
  ) {
    out += open.utf8
    for (index, item) in items.enumerated() {
      out += (index > 0 ? ",\n" : "\n").utf8
      out += repeatElement(UInt8(ascii: " "), count: 2 * (indent + 1))
      write(item, &out)
    }
    out += "\n".utf8
    out += repeatElement(UInt8(ascii: " "), count: 2 * indent)
    out += close.utf8
  }

  private static func write(_ text: String, to out: inout [UInt8]) {
    let hex = Array("0123456789abcdef".utf8)
    out.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += [UInt8(ascii: "\\"), byte]
      case ..<0x20, 0x7f:
        out += [0x5c, 0x75, 0x30, 0x30, hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      default: out.append(byte)
      }
    }
    out.append(UInt8(ascii: "\""))
  }
}

extension String {
  /// The order of bytes, which is the order of code points and Python's order of strings; Swift's
  /// own order would make two spellings of one character equal.
  package func precedesInBytes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
