/// Parameters in the form `application/x-www-form-urlencoded` (RFC 6749 appendix B), in order.
public struct FormParameters: Equatable, Sendable {
  /// Names and values, decoded.
  public private(set) var pairs: [(name: String, value: String)] = []

  /// No parameters.
  public init() {}

  /// These parameters, in this order; nil values are left out.
  public init(_ pairs: KeyValuePairs<String, String?>) {
    for (name, value) in pairs { append(name, value) }
  }

  /// Decodes a query or a form; nil where a percent sign is not followed by two digits, or what
  /// comes out is not UTF-8.
  public init?(encoded text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]),
        let value = parts.count > 1 ? Self.decode(parts[1]) : ""
      else { return nil }
      pairs.append((name, value))
    }
  }

  /// Parameters in the order of their names.
  package init(sorted parameters: [String: String]) {
    pairs = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether there is none.
  public var isEmpty: Bool { pairs.isEmpty }

  /// Adds a parameter, unless the value is nil.
  public mutating func append(_ name: String, _ value: String?) {
    if let value { pairs.append((name, value)) }
  }

  /// Adds parameters that have no namesake here.
  public mutating func merge(_ others: FormParameters) {
    for (name, value) in others.pairs where !pairs.contains(where: { $0.name == name }) {
      pairs.append((name, value))
    }
  }

  /// The value of a parameter that stands there once. RFC 6749 section 3.1: parameters must not
  /// be included more than once, and what is repeated has no value that all readers agree on.
  public subscript(name: String) -> String? {
    let found = pairs.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Whether a parameter stands there more than once.
  public var hasRepeats: Bool { Set(pairs.map(\.name)).count < pairs.count }

  /// The encoded text.
  public var encoded: String {
    pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
  }

  /// A text with every byte but RFC 3986's unreserved ones percent-encoded.
  public static func encode(_ text: String) -> String {
    let hex = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        out.append(byte)
      default: out += [UInt8(ascii: "%"), hex[Int(byte >> 4)], hex[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  private static func decode(_ text: some Collection<UInt8>) -> String? {
    var out: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): out.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit)
        else { return nil }
        out.append(high << 4 | low)
      default: out.append(byte)
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Whether both have the same parameters in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.pairs.elementsEqual(right.pairs) { $0.name == $1.name && $0.value == $1.value }
  }
}
