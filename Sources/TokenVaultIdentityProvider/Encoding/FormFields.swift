import Foundation

/// Parameters in the form `application/x-www-form-urlencoded` (RFC 6749 appendix B), in order.
///
/// Foundation splits the text and checks its characters (RFC 3986 section 3.4). A client that sends
/// something else in a query or a form has an error, and the request is refused.
package struct FormFields {
  /// Names and values, decoded.
  package private(set) var pairs: [(name: String, value: String)] = []

  /// The given parameters, in this order, without those that are nil.
  package init(_ pairs: KeyValuePairs<String, String?> = [:]) {
    for (name, value) in pairs { append(name, value) }
  }

  /// Decodes a query or a form. Returns nil for a percent sign without two hexadecimal digits, for
  /// a character that must be percent-encoded, for a parameter without a name, and where the
  /// decoded bytes are not UTF-8.
  package init?(encoded text: String) {
    guard !text.isEmpty else { return }
    guard let parts = URLComponents(string: "?" + text, encodingInvalidCharacters: false),
      parts.fragment == nil, let items = parts.percentEncodedQueryItems
    else { return nil }
    for item in items {
      guard !item.name.isEmpty, let name = Self.decode(item.name),
        let value = Self.decode(item.value ?? "")
      else { return nil }
      pairs.append((name, value))
    }
  }

  /// Not `removingPercentEncoding`, which drops a byte order mark.
  private static func decode(_ text: String) -> String? {
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        let digits = rest.prefix(2)
        guard digits.count == 2,
          digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }),
          let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        bytes.append(value)
        rest = rest.dropFirst(2)
      default: bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Adds a parameter unless the value is nil.
  package mutating func append(_ name: String, _ value: String?) {
    if let value { pairs.append((name, value)) }
  }

  /// The value of a parameter that occurs once. Nil for an empty value: RFC 6749 section 3.1 treats
  /// a parameter without a value as omitted. Nil for a repeated one, because readers disagree about
  /// which value counts.
  package subscript(name: String) -> String? {
    let found = pairs.filter { $0.name == name }
    return found.count == 1 && !found[0].value.isEmpty ? found[0].value : nil
  }

  /// Whether a parameter occurs more than once, which RFC 6749 sections 3.1 and 3.2 forbid.
  package var hasRepeats: Bool { Set(pairs.map(\.name)).count < pairs.count }

  /// The encoded text; every byte except the unreserved characters of RFC 3986 is percent-encoded.
  package var encoded: String {
    pairs.map { Self.encode($0.name) + "=" + Self.encode($0.value) }.joined(separator: "&")
  }

  private static func encode(_ text: String) -> String {
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    // Nil only for what is not Unicode, which no String is.
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
