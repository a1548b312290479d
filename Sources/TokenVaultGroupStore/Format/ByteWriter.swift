/// Encodes the values of docs/vault-format.md.
///
/// Numbers are unsigned LEB128; signed numbers are zig-zag encoded first. Bytes and text are
/// preceded by their length, lists by their number of elements.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// - Parameter capacity: the number of bytes for which to allocate memory at once.
  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func number(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  mutating func data(_ value: [UInt8]) {
    number(UInt64(value.count))
    bytes += value
  }

  mutating func text(_ value: String) {
    var value = value
    value.withUTF8 { buffer in
      number(UInt64(buffer.count))
      unsafe bytes.append(contentsOf: buffer)
    }
  }

  mutating func list<Element>(_ values: [Element], _ write: (inout ByteWriter, Element) -> Void) {
    number(UInt64(values.count))
    for value in values { write(&self, value) }
  }
}
