internal import TokenVaultCrypto

/// Reads values of the D-Bus wire format. Every length is checked against the received bytes, so a
/// malicious peer can make it throw, but not read out of bounds.
struct DBusReader {
  private let buffer: ReceiveBuffer
  private let origin: Int
  private let end: Int
  private(set) var offset: Int

  /// A reader of the part of the buffer from a message's alignment origin on.
  init(_ buffer: ReceiveBuffer, _ range: Range<Int>) {
    self.buffer = buffer
    origin = range.lowerBound
    offset = range.lowerBound
    end = min(range.upperBound, buffer.count)
  }

  mutating func byte() throws(CustodyError) -> UInt8 { buffer.bytes[try take(1)] }

  mutating func uint32() throws(CustodyError) -> UInt32 {
    try align(4)
    let start = try take(4)
    var value: UInt32 = 0
    for index in 0..<4 { value |= UInt32(buffer.bytes[start + index]) << UInt32(8 * index) }
    return value
  }

  mutating func string() throws(CustodyError) -> String { try text(Int(try uint32())) }

  mutating func signature() throws(CustodyError) -> String { try text(Int(try byte())) }

  /// An object path that may be sent back to the bus, which hangs up on a malformed one.
  mutating func objectPath() throws(CustodyError) -> String {
    let path = try string()
    guard path == "/" || path.utf8.first == UInt8(ascii: "/") else { throw .badAnswer }
    var afterSlash = false
    for character in path.utf8 {
      switch character {
      case UInt8(ascii: "/") where !afterSlash: afterSlash = true
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        afterSlash = false
      default: throw .badAnswer
      }
    }
    guard path == "/" || !afterSlash else { throw .badAnswer }
    return path
  }

  mutating func objectPaths() throws(CustodyError) -> [String] {
    try array { (reader) throws(CustodyError) in try reader.objectPath() }
  }

  mutating func strings() throws(CustodyError) -> [String] {
    try array { (reader) throws(CustodyError) in try reader.string() }
  }

  /// A dictionary of strings, a{ss}.
  mutating func dictionary() throws(CustodyError) -> [(String, String)] {
    try array(alignment: 8) { (reader) throws(CustodyError) in
      try reader.align(8)
      return (try reader.string(), try reader.string())
    }
  }

  /// Skips a string or an array of bytes.
  mutating func skipBytes(terminated: Bool) throws(CustodyError) {
    try skip(Int(try uint32()) + (terminated ? 1 : 0))
  }

  mutating func skip(_ count: Int) throws(CustodyError) { _ = try take(count) }

  /// An array of bytes.
  mutating func bytes() throws(CustodyError) -> [UInt8] {
    let count = Int(try uint32())
    let start = try take(count)
    return Array(buffer.bytes[start..<start + count])
  }

  /// An array of bytes, taken straight into locked memory.
  mutating func secret() throws(CustodyError) -> SecretBytes {
    let count = Int(try uint32())
    let start = try take(count)
    var secret = try crypto { () throws(CryptoError) in try SecretBytes(count: count) }
    unsafe secret.withUnsafeMutableBytes { secret in
      unsafe buffer.bytes.withUnsafeBytes {
        unsafe secret.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
      }
    }
    return secret
  }

  mutating func align(_ size: Int) throws(CustodyError) {
    _ = try take((size - (offset - origin) % size) % size)
  }

  private mutating func array<Element>(
    alignment: Int = 4, _ element: (inout DBusReader) throws(CustodyError) -> Element
  ) throws(CustodyError) -> [Element] {
    let count = Int(try uint32())
    try align(alignment)
    let start = offset
    guard count <= end - start else { throw .badAnswer }
    var elements: [Element] = []
    while offset < start + count { elements.append(try element(&self)) }
    guard offset == start + count else { throw .badAnswer }
    return elements
  }

  private mutating func text(_ count: Int) throws(CustodyError) -> String {
    let start = try take(count)
    guard buffer.bytes[try take(1)] == 0 else { throw .badAnswer }
    return String(decoding: buffer.bytes[start..<start + count], as: UTF8.self)
  }

  private mutating func take(_ count: Int) throws(CustodyError) -> Int {
    guard count <= end - offset else { throw .badAnswer }
    defer { offset += count }
    return offset
  }
}
