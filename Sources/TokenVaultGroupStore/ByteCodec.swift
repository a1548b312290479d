/// Writes the length-prefixed values of vault-format.md.
///
/// Numbers are unsigned LEB128, signed ones zig-zag first; bytes and text carry their length.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

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

/// Reads what `ByteWriter` wrote, and nothing else: one value has one encoding, and a length that
/// passes the end is damage, never an allocation.
struct ByteReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func byte() throws(StoreError) -> UInt8 {
    guard position < bytes.count else { throw .damaged(rows: nil) }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func number() throws(StoreError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 70 {
      let next = try byte()
      let bits = UInt64(next & 0x7f)
      guard shift < 63 || bits <= 1, next != 0 || shift == 0 else { break }
      value |= bits << shift
      if next < 0x80 { return value }
      shift += 7
    }
    throw .damaged(rows: nil)
  }

  mutating func signed() throws(StoreError) -> Int64 {
    let raw = try number()
    return Int64(bitPattern: raw >> 1) ^ -Int64(bitPattern: raw & 1)
  }

  mutating func data() throws(StoreError) -> [UInt8] {
    Array(bytes[try range()])
  }

  mutating func text() throws(StoreError) -> String {
    let slice = bytes[try range()]
    // Most text is ASCII, which needs no validation: a listing reads it by the hundred thousand.
    if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw .damaged(rows: nil)
    }
    return text
  }

  mutating func list<Element>(
    _ read: (inout ByteReader) throws(StoreError) -> Element
  ) throws(StoreError) -> [Element] {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .damaged(rows: nil) }
    var values: [Element] = []
    values.reserveCapacity(Int(count))
    for _ in 0..<count { values.append(try read(&self)) }
    return values
  }

  func end() throws(StoreError) {
    guard position == bytes.count else { throw .damaged(rows: nil) }
  }

  private mutating func range() throws(StoreError) -> Range<Int> {
    let count = try number()
    guard count <= UInt64(bytes.count - position) else { throw .damaged(rows: nil) }
    defer { position += Int(count) }
    return position..<(position + Int(count))
  }
}
