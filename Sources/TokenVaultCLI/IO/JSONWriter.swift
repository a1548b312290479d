import TokenVaultModel

/// Writes JSON directly into bytes: building a tree for 10,000 accounts would take too long.
struct JSONWriter {
  private(set) var bytes: [UInt8] = []
  private var isFirst = true

  /// The JSON with a line feed at the end.
  consuming func finished() -> [UInt8] {
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  mutating func object(_ body: (inout JSONWriter) -> Void) { container("{", "}", body) }

  mutating func array<Element>(
    _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    container("[", "]") { writer in
      for element in elements { body(&writer, element) }
    }
  }

  /// Writes the name of an object's next member; its value must follow.
  mutating func key(_ name: StaticString) {
    separate()
    name.withUTF8Buffer { name in
      bytes.append(UInt8(ascii: "\""))
      unsafe bytes.append(contentsOf: name)
      bytes.append(UInt8(ascii: "\""))
    }
    bytes.append(UInt8(ascii: ":"))
    isFirst = true
  }

  mutating func string(_ text: String) {
    separate()
    JSONString.append(text, to: &bytes)
  }

  mutating func bool(_ value: Bool) { raw((value ? "true" : "false").utf8) }
  mutating func number(_ value: some BinaryInteger) { raw(String(value).utf8) }
  mutating func null() { raw("null".utf8) }

  /// Writes a value that is JSON already.
  mutating func raw(_ json: some Sequence<UInt8>) {
    separate()
    bytes.append(contentsOf: json)
  }

  mutating func field(_ name: StaticString, _ text: String) {
    key(name)
    string(text)
  }

  mutating func field(_ name: StaticString, _ value: Bool) {
    key(name)
    bool(value)
  }

  mutating func field(_ name: StaticString, _ value: some BinaryInteger) {
    key(name)
    number(value)
  }

  mutating func field(_ name: StaticString, _ texts: [String]) {
    key(name)
    array(texts) { $0.string($1) }
  }

  private mutating func container(
    _ open: Character, _ close: Character, _ body: (inout JSONWriter) -> Void
  ) {
    separate()
    bytes += open.utf8
    isFirst = true
    body(&self)
    bytes += close.utf8
    isFirst = false
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
  }

  /// The same JSON, with characters that a terminal would interpret written as `\uXXXX`: people
  /// read listings too. These characters occur inside strings only.
  static func safeForTerminals(_ json: [UInt8]) -> [UInt8] {
    // 0xc2 begins the C1 controls; 0xe2 0x80 and 0xe2 0x81 begin characters that hide and reorder
    // text.
    guard json.contains(where: { $0 == 0xc2 || $0 == 0xe2 || $0 == 0xef }) else { return json }
    var safe: [UInt8] = []
    safe.reserveCapacity(json.count)
    var index = 0
    while index < json.count {
      let isLead = [0xc2, 0xe2, 0xef].contains(json[index])
      if isLead, let (scalar, length) = activeScalar(Array(json[index...].prefix(3))) {
        JSONString.appendEscape(of: scalar, to: &safe)
        index += length
      } else {
        safe.append(json[index])
        index += 1
      }
    }
    return safe
  }

  private static func activeScalar(_ bytes: [UInt8]) -> (UInt16, Int)? {
    if bytes.count >= 2, bytes[0] == 0xc2, bytes[1] < 0xa0 { return (UInt16(bytes[1]), 2) }
    guard bytes.count == 3 else { return nil }
    let scalar =
      UInt16(bytes[0] & 0x0f) << 12 | UInt16(bytes[1] & 0x3f) << 6 | UInt16(bytes[2] & 0x3f)
    switch (bytes[0], scalar) {
    case (0xe2, 0x200b...0x200f), (0xe2, 0x2028...0x202e), (0xe2, 0x2060...0x206f),
      (0xef, 0xfeff):
      return (scalar, 3)
    default: return nil
    }
  }
}
