import TokenVaultModel

/// Parameters in the format `application/x-www-form-urlencoded` (RFC 6749 appendix B), in order.
package struct FormParameters: Equatable, Sendable {
  /// Names and values, decoded.
  package private(set) var pairs: [(name: String, value: String)] = []

  /// No parameters.
  package init() {}

  /// These parameters, in this order; those with a nil value are omitted.
  package init(_ pairs: KeyValuePairs<String, String?>) {
    for (name, value) in pairs { append(name, value) }
  }

  /// Decodes a query or a form; nil if a percent sign is not followed by two hexadecimal digits, or
  /// if the decoded bytes are not UTF-8.
  package init?(encoded text: some StringProtocol) {
    for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = Self.decode(parts[0]),
        let value = parts.count > 1 ? Self.decode(parts[1]) : ""
      else { return nil }
      pairs.append((name, value))
    }
  }

  /// Parameters sorted by name.
  package init(sorted parameters: [String: String]) {
    pairs = parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// Whether there are no parameters.
  package var isEmpty: Bool { pairs.isEmpty }

  /// Adds a parameter, unless its value is nil.
  package mutating func append(_ name: String, _ value: String?) {
    if let value { pairs.append((name, value)) }
  }

  /// Adds the parameters whose names are not taken.
  package mutating func merge(_ others: FormParameters) {
    for (name, value) in others.pairs where !pairs.contains(where: { $0.name == name }) {
      pairs.append((name, value))
    }
  }

  /// The value of a parameter that occurs exactly once. RFC 6749 section 3.1 forbids repeated
  /// parameters, because two parsers could take different values.
  package subscript(name: String) -> String? {
    let found = pairs.filter { $0.name == name }
    return found.count == 1 ? found[0].value : nil
  }

  /// Whether a parameter occurs more than once.
  package var hasRepeats: Bool { Set(pairs.map(\.name)).count < pairs.count }

  /// The encoded text.
  package var encoded: String {
    pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
  }

  /// Percent-encodes every byte except the unreserved characters of RFC 3986 section 2.3.
  package static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      // RFC 3986 section 2.1 recommends upper case.
      default: encoded += "%" + Hexadecimal.encode([byte]).uppercased()
      }
    }
    return encoded
  }

  private static func decode(_ text: some Collection<UInt8>) -> String? {
    var out: [UInt8] = []
    var rest = text[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): out.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(Hexadecimal.value),
          let low = rest.popFirst().flatMap(Hexadecimal.value)
        else { return nil }
        out.append(high << 4 | low)
      default: out.append(byte)
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  /// Whether both contain the same parameters in the same order.
  package static func == (left: Self, right: Self) -> Bool {
    left.pairs.elementsEqual(right.pairs) { $0.name == $1.name && $0.value == $1.value }
  }
}
