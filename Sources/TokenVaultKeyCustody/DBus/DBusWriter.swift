/// Writes method calls in the D-Bus wire format (D-Bus Specification, "Message Protocol"),
/// little-endian, one after another.
struct DBusWriter {
  private(set) var bytes: [UInt8] = []
  private var origin = 0

  /// Tells the bus not to start a service for this call.
  static let noAutoStart: UInt8 = 2

  init() { bytes.reserveCapacity(1024) }

  /// Text of the authentication conversation, which precedes all messages.
  mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func uint32(_ value: UInt32) {
    align(4)
    for shift in stride(from: UInt32(0), to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  mutating func uint64(_ value: UInt64) {
    align(8)
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// An array of object paths.
  mutating func objectPaths(_ paths: [String]) {
    let length = reserveLength()
    let start = bytes.count
    paths.forEach { string($0) }
    patch(length, UInt32(bytes.count - start))
  }

  /// An array of strings without elements.
  mutating func noStrings() { uint32(0) }

  /// A dictionary with a single entry, a{sv}, whose value is a string.
  mutating func dictionary(_ key: String, variant value: String) {
    let length = reserveLength()
    align(8)
    let start = bytes.count
    string(key)
    signature("s")
    string(value)
    patch(length, UInt32(bytes.count - start))
  }

  /// A string, or an object path.
  mutating func string(_ text: String) {
    uint32(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  mutating func signature(_ text: String) {
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
    bytes.append(0)
  }

  /// A dictionary of strings, a{ss}.
  mutating func dictionary(_ entries: [(String, String)]) {
    let length = reserveLength()
    align(8)
    let start = bytes.count
    for (key, value) in entries {
      align(8)
      string(key)
      string(value)
    }
    patch(length, UInt32(bytes.count - start))
  }

  /// - Parameter flags: the message's flags, such as ``noAutoStart``.
  mutating func call(
    _ serial: UInt32, _ call: DBusCall, flags: UInt8 = 0,
    _ body: (inout DBusWriter) -> Void = { _ in }
  ) {
    origin = bytes.count
    bytes.append(contentsOf: [UInt8(ascii: "l"), 1, flags, 1])
    let bodyLength = reserveLength()
    uint32(serial)
    let fieldsLength = reserveLength()
    let fields = bytes.count
    field(1, "o", call.path)
    field(2, "s", call.interface)
    field(3, "s", call.member)
    field(6, "s", call.destination)
    if !call.signature.isEmpty {
      align(8)
      bytes.append(8)
      signature("g")
      signature(call.signature)
    }
    patch(fieldsLength, UInt32(bytes.count - fields))
    align(8)
    let start = bytes.count
    body(&self)
    patch(bodyLength, UInt32(bytes.count - start))
  }

  private mutating func field(_ code: UInt8, _ type: String, _ value: String) {
    align(8)
    bytes.append(code)
    signature(type)
    string(value)
  }

  private mutating func align(_ size: Int) {
    while (bytes.count - origin) % size != 0 { bytes.append(0) }
  }

  private mutating func reserveLength() -> Int {
    uint32(0)
    return bytes.count - 4
  }

  private mutating func patch(_ offset: Int, _ value: UInt32) {
    for index in 0..<4 {
      bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index))
    }
  }
}
