/// A JSON value that loses nothing on its way through: numbers stay the text they were.
///
/// Foundation is not used because a token is read by programs that start for one answer, and
/// loading Foundation costs more than the answer.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The literal as it stood in the text, or as this process writes it.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// Members in the order of the text; of a name that stood twice only the last is left.
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
