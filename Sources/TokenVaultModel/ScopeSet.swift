/// A set of OAuth scopes (RFC 6749 section 3.3), compared without case as Microsoft Entra does.
public struct ScopeSet: Hashable, Sendable, CustomStringConvertible {
  private let folded: Set<String>
  /// The scopes as they were given, without repeats, in their order.
  public let scopes: [String]

  /// A set from separate scope tokens; empty ones are dropped.
  public init(_ scopes: [String]) {
    var seen = Set<String>()
    self.scopes = scopes.filter { !$0.isEmpty && seen.insert($0.lowercased()).inserted }
    folded = seen
  }

  /// A set from the space-separated text of a token answer or a cache's `target`.
  public init(target: String) {
    self.init(target.split(whereSeparator: { $0 == " " || $0 == "\t" }).map(String.init))
  }

  /// The space-separated text.
  public var description: String { scopes.joined(separator: " ") }
  /// Whether no scope is in the set.
  public var isEmpty: Bool { folded.isEmpty }
  /// Whether every scope of this set is in `other`.
  public func isSubset(of other: ScopeSet) -> Bool { folded.isSubset(of: other.folded) }
  /// Whether the sets have a scope in common.
  public func intersects(_ other: ScopeSet) -> Bool { !folded.isDisjoint(with: other.folded) }

  /// Whether the same scopes are in both sets.
  public static func == (left: ScopeSet, right: ScopeSet) -> Bool { left.folded == right.folded }
  /// Hashes the scopes without their case.
  public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
