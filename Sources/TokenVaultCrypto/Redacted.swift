/// A value that prints as `<redacted>` however it is printed: interpolated, dumped, reflected, or
/// inside of something else. `reveal()` is the one way to it, and easy to search for.
public struct Redacted<Value: Sendable>: Sendable {
  private let value: Value

  /// Hides `value`.
  public init(_ value: Value) {
    self.value = value
  }

  /// The value itself.
  public func reveal() -> Value { value }
}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Always `<redacted>`.
  public var description: String { "<redacted>" }

  /// Always `<redacted>`.
  public var debugDescription: String { description }

  /// A mirror without children; the default one would show the value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Not in constant time; for comparing with what an attacker chose there is `ConstantTime`.
extension Redacted: Equatable where Value: Equatable {}

extension Redacted: Hashable where Value: Hashable {}
