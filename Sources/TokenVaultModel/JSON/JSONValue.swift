/// A JSON value that can be read and written without loss: numbers keep their text.
///
/// It does not use Foundation: a program that starts to read one token would take longer to load
/// Foundation than to read it.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The literal as it was read, or as this process writes it.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in the order of the text; of a repeated name only the last is kept.
  case object([Member])

  /// A name and its value.
  package struct Member: Hashable, Sendable {
    package var name: String
    package var value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value of an object's member; nil for other values and absent names.
  package subscript(name: String) -> JSONValue? {
    members?.first { $0.name == name }?.value
  }

  /// The members of an object; nil for other values.
  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The elements of an array; nil for other values.
  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The text of a string; nil for other values.
  package var text: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// Whether it is an object or array without content.
  package var isEmptyContainer: Bool {
    switch self {
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    case .null, .bool, .number, .string: false
    }
  }
}
