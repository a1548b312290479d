/// Why a text was not accepted as JSON. No case holds a part of the text.
package enum JSONError: Error, Equatable, Sendable {
  /// The text violates RFC 8259, or is not UTF-8, at this byte.
  case syntax(at: Int)
  /// Containers are nested more than `limit` deep.
  case tooDeep(limit: Int)
  /// The text has more than `limit` values.
  case tooMany(limit: Int)
}
