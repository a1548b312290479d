/// The one rule by which names typed by people are compared: Unicode lower case, byte for byte.
///
/// Stored lookup tags are made from these bytes, so a comparison by any other rule (such as
/// Swift's canonical equivalence) could find what the tags do not.
package enum CaseFolding {
  /// The bytes that stand for `name` in comparisons and lookup tags.
  package static func fold(_ name: String) -> [UInt8] { Array(name.lowercased().utf8) }

  /// Whether two names are the same name.
  package static func equal(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) || fold(left) == fold(right)
  }
}

extension CaseFolding {
  /// The folded name as text, for use as a key.
  package static func key(_ name: String) -> String { name.lowercased() }
}
