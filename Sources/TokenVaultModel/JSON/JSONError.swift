/// What makes a text no JSON that is accepted here. It never holds the text.
package enum JSONError: Error, Equatable, Sendable {
  /// Not RFC 8259, or not UTF-8, at this byte.
  case syntax(at: Int)
  /// Containers stand more than `limit` deep in each other.
  case tooDeep(limit: Int)
  /// There are more than `limit` values in it.
  case tooMany(limit: Int)
}
