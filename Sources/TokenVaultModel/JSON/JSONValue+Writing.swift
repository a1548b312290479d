extension JSONValue {
  /// The text without spaces, names in byte order: equal values give equal bytes.
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
    case .string(let text): JSONString.append(text, to: &out)
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
        JSONString.append(member.name, to: &out)
        out.append(UInt8(ascii: ":"))
        member.value.write(to: &out)
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// The text for files that users read and edit: two spaces for each level, members in their order.
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
        JSONString.append(member.name, to: &out)
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
}
