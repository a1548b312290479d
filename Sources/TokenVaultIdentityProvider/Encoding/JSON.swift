import Foundation

/// A JSON value, read and written by Foundation.
///
/// The provider has no parser in common with the client that it tests: an error that both made
/// alike would cancel itself out.
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  /// A number that is not an `Int`; always finite.
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// Reads a JSON text (RFC 8259).
  package init(parsing bytes: some Sequence<UInt8>) throws {
    let data = Data(bytes)
    self = try JSONDecoder().decode(JSON.self, from: data)
    guard !Self.hasTrailingComma(data) else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a trailing comma"))
    }
  }

  /// Whether a comma stands before the end of an array or object, which Foundation accepts.
  private static func hasTrailingComma(_ text: Data) -> Bool {
    var (isInString, isEscaped, isAfterComma) = (false, false, false)
    for byte in text {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "]") || byte == UInt8(ascii: "}") {
        if isAfterComma { return true }
      } else if byte > UInt8(ascii: " ") {
        isAfterComma = byte == UInt8(ascii: ",")
        isInString = byte == UInt8(ascii: "\"")
      }
    }
    return false
  }

  /// The text without spaces, with the members in the order of their names.
  package var bytes: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Array(try encoder.encode(self))
    } catch {
      preconditionFailure("a number is not finite: \(error)")
    }
  }
}

extension JSON: Codable {
  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = Self.decode(String.self, value) {
      self = .string(text)
    } else if let flag = Self.decode(Bool.self, value) {
      self = .bool(flag)
    } else if let integer = Self.decode(Int.self, value) {
      self = .integer(integer)
    } else if let number = Self.decode(Double.self, value) {
      self = .number(number)
    } else if let elements = Self.decode([JSON].self, value) {
      self = .array(elements)
    } else {
      self = .object(try value.decode([String: JSON].self))
    }
  }

  private static func decode<Value: Decodable>(
    _ type: Value.Type, _ container: any SingleValueDecodingContainer
  ) -> Value? {
    try? container.decode(type)  // absent is an answer: the value is of another type
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSON {
  /// The members of an object; nil for other values.
  package var members: [String: JSON]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements of an array; nil for other values.
  package var elements: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

  /// The content of a string; nil for other values.
  package var text: String? { if case .string(let text) = self { text } else { nil } }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// The value of a number of either kind; nil for other values.
  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The strings of an array; nil for other values.
  var texts: [String]? { elements?.compactMap(\.text) }

  static func texts(_ texts: some Sequence<String>) -> JSON { .array(texts.map { .string($0) }) }

  /// A duration or a time, in whole seconds.
  static func seconds(_ seconds: Double) -> JSON { .integer(Int(seconds)) }

  /// A member of an object; setting nil removes it. Nil for other values, which do not change.
  package subscript(name: String) -> JSON? {
    get { members?[name] }
    set {
      guard var members else { return }
      members[name] = newValue
      self = .object(members)
    }
  }
}

// Literals let the code of an answer look like its JSON.
extension JSON: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
