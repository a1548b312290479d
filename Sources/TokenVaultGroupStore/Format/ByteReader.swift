/// Decodes what `ByteWriter` encodes, and nothing else.
///
/// Each value has exactly one encoding; any other throws ``StoreError/damaged(rows:)``. So does a
/// length beyond the end, before anything is allocated for it.
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
    // Most numbers are lengths of one byte.
    if position < bytes.count, bytes[position] < 0x80 { return UInt64(try byte()) }
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
    let range = try range()
    // Most texts of a credential are empty.
    guard !range.isEmpty else { return "" }
    let slice = bytes[range]
    // Most text is ASCII, which needs no UTF-8 validation. A listing reads hundreds of thousands of
    // texts.
    if slice.allSatisfy({ $0 < 0x80 }) { return String(decoding: slice, as: UTF8.self) }
    guard let text = String(validating: slice, as: UTF8.self) else {
      throw .damaged(rows: nil)
    }
    return text
  }

  /// The next text; `usual` itself, which takes no further memory, if the bytes are equal.
  mutating func text(like usual: String) throws(StoreError) -> String {
    let start = position
    if isSame(try range(), usual) { return usual }
    position = start
    return try text()
  }

  private func isSame(_ range: Range<Int>, _ text: String) -> Bool {
    let (ours, theirs) = (bytes.span.extracting(range), text.utf8.span)
    return ours.count == theirs.count && ours.indices.allSatisfy { ours[$0] == theirs[$0] }
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

  /// Throws unless all bytes have been read.
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
