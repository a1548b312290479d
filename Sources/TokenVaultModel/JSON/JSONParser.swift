/// Reads one JSON text, within ``JSONValue/depthLimit`` and ``JSONValue/countLimit``.
struct JSONParser {
  private let bytes: [UInt8]
  private var at = 0
  private var count = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() throws(JSONError) -> JSONValue {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { at = 3 }
    let value = try value(depth: 0)
    skipSpace()
    guard at == bytes.count else { throw .syntax(at: at) }
    return value
  }

  private var byte: UInt8 { at < bytes.count ? bytes[at] : 0 }

  private mutating func skipSpace() {
    while at < bytes.count {
      switch bytes[at] {
      case 0x20, 0x0a, 0x0d, 0x09: at += 1
      default: return
      }
    }
  }

  private mutating func take(_ expected: UInt8) -> Bool {
    guard at < bytes.count, bytes[at] == expected else { return false }
    at += 1
    return true
  }

  private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
    guard depth <= JSONValue.depthLimit else { throw .tooDeep(limit: JSONValue.depthLimit) }
    count += 1
    guard count <= JSONValue.countLimit else { throw .tooMany(limit: JSONValue.countLimit) }
    skipSpace()
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    guard bytes[at...].starts(with: word.description.utf8) else { throw .syntax(at: at) }
    at += word.utf8CodeUnitCount
    return value
  }

  private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw .syntax(at: at) }
    }
  }

  private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
    at += 1
    var members: [JSONValue.Member] = []
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      skipSpace()
      let name = try string()
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw .syntax(at: at) }
      members.append(.init(name, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(Self.lastOfEachName(members)) }
      guard take(UInt8(ascii: ",")) else { throw .syntax(at: at) }
    }
  }

  /// Names are compared by their bytes, as the programs that wrote the text do.
  private static func lastOfEachName(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
    let names = members.indices.sorted {
      let (left, right) = (members[$0].name, members[$1].name)
      return left.precedesInBytes(right) || (!right.precedesInBytes(left) && $0 < $1)
    }
    let replaced = zip(names, names.dropFirst())
      .filter { !members[$0].name.precedesInBytes(members[$1].name) }.map(\.0)
    guard !replaced.isEmpty else { return members }
    let dropped = Set(replaced)
    return members.indices.filter { !dropped.contains($0) }.map { members[$0] }
  }

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = at
    _ = take(UInt8(ascii: "-"))
    if !take(UInt8(ascii: "0")) { try digits() }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      _ = take(UInt8(ascii: "+")) || take(UInt8(ascii: "-"))
      try digits()
    }
    return .number(String(decoding: bytes[start..<at], as: UTF8.self))
  }

  private mutating func digits() throws(JSONError) {
    let start = at
    while (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { at += 1 }
    guard at > start else { throw .syntax(at: at) }
  }

  private mutating func string() throws(JSONError) -> String {
    let start = at
    guard take(UInt8(ascii: "\"")) else { throw .syntax(at: at) }
    let end = PlainRun.end(in: bytes, from: at)
    if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
      guard let string = String(validating: bytes[at..<end], as: UTF8.self) else {
        throw .syntax(at: start)
      }
      at = end + 1
      return string
    }
    var text: [UInt8] = []
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        at += 1
        guard let string = String(validating: text, as: UTF8.self) else {
          throw .syntax(at: start)
        }
        return string
      case UInt8(ascii: "\\"): text += try escape()
      case ..<0x20: throw .syntax(at: at)
      default:
        let end = PlainRun.end(in: bytes, from: at)
        text += bytes[at..<end]
        at = end
      }
    }
    throw .syntax(at: at)
  }

  private mutating func escape() throws(JSONError) -> [UInt8] {
    at += 1
    defer { at += 1 }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [0x08]
    case UInt8(ascii: "f"): return [0x0c]
    case UInt8(ascii: "n"): return [0x0a]
    case UInt8(ascii: "r"): return [0x0d]
    case UInt8(ascii: "t"): return [0x09]
    case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
    default: throw .syntax(at: at)
    }
  }

  /// A lone surrogate is refused: no UTF-8 text can carry it (RFC 8259 section 8.2).
  private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
    let start = at
    let first = try unit()
    guard (0xd800..<0xdc00).contains(first) else {
      guard let scalar = Unicode.Scalar(first) else { throw .syntax(at: start) }
      return scalar
    }
    at += 1
    guard take(UInt8(ascii: "\\")), byte == UInt8(ascii: "u") else { throw .syntax(at: start) }
    let second = try unit()
    guard (0xdc00..<0xe000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    else { throw .syntax(at: start) }
    return scalar
  }

  /// Reads the four digits after the `u` at the current position, and stops at the last one.
  private mutating func unit() throws(JSONError) -> UInt32 {
    var unit: UInt32 = 0
    for _ in 0..<4 {
      at += 1
      guard let digit = Hexadecimal.value(of: byte) else { throw .syntax(at: at) }
      unit = unit << 4 + UInt32(digit)
    }
    return unit
  }
}
