/// A set of OAuth scopes (RFC 6749 section 3.3), compared without case, as Microsoft Entra does.
///
/// A set is written as a string literal or as an array literal:
///
///     let read: ScopeSet = "User.Read Mail.Read"
///     let send: ScopeSet = ["User.Read", "Mail.Send"]
public struct ScopeSet: Hashable, Sendable, CustomStringConvertible {
  private let folded: Set<String>
  /// The scopes as they were given, without repeats, in their order.
  public let scopes: [String]

  /// A set of separate scope tokens; empty ones are dropped.
  public init(_ scopes: [String]) {
    var seen = Set<String>()
    self.scopes = scopes.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
    folded = seen
  }

  /// A set from the space-separated text of a token response or of a cache's `target`.
  public init(target: String) {
    self.init(target.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init))
  }

  /// The space-separated text.
  public var description: String { scopes.joined(separator: " ") }
  /// Whether the set has no scopes.
  public var isEmpty: Bool { folded.isEmpty }
  /// Whether every scope of this set is in `other`.
  public func isSubset(of other: ScopeSet) -> Bool { folded.isSubset(of: other.folded) }
  /// Whether the sets have a scope in common.
  package func intersects(_ other: ScopeSet) -> Bool { !folded.isDisjoint(with: other.folded) }

  /// Whether the same scopes are in both sets.
  public static func == (left: ScopeSet, right: ScopeSet) -> Bool { left.folded == right.folded }
  /// Hashes the scopes without their case.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}

extension ScopeSet: ExpressibleByStringLiteral {
  /// The scopes of a literal, separated by spaces as RFC 6749 section 3.3 writes them.
  public init(stringLiteral value: String) { self.init(target: value) }
}

extension ScopeSet: ExpressibleByArrayLiteral {
  /// The scopes of a literal, one in each element.
  public init(arrayLiteral elements: String...) { self.init(elements) }
}
