package import TokenVaultModel

// Answers are written down as they look.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .number(String(value)) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}

extension JSONValue {
  static func texts(_ texts: some Sequence<String>) -> JSONValue {
    .array(texts.map { .string($0) })
  }

  static func whole(_ seconds: Double) -> JSONValue { .number(String(Int(seconds))) }

  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  var number: Double? { if case .number(let literal) = self { Double(literal) } else { nil } }

  var texts: [String]? { elements?.compactMap(\.text) }

  /// Sets a member of an object, or takes it away.
  mutating func set(_ name: String, _ value: JSONValue?) {
    guard var members else { return }
    members.removeAll { $0.name == name }
    if let value { members.append(Member(name, value)) }
    self = .object(members)
  }
}
