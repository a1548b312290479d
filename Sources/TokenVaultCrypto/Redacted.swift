/// A value that always prints as `<redacted>`: interpolated, dumped, reflected, or nested in
/// another value. `reveal()` is the only access to it, and easy to search for.
public struct Redacted<Value: Sendable>: Sendable {
  private let value: Value

  /// Wraps `value`.
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

  /// A mirror without children. The default mirror would show the value.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Comparison does not take constant time: do not compare a secret with a value that an attacker
/// chose.
extension Redacted: Equatable where Value: Equatable {}

extension Redacted: Hashable where Value: Hashable {}
