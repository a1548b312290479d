/// The one rule for comparing typed names: Unicode lower case, byte by byte.
///
/// Stored lookup tags are computed from these bytes, so a comparison by any other rule (such as
/// Swift's canonical equivalence) could match names that the tags do not.
package enum CaseFolding {
  /// The bytes of `name` for comparisons and lookup tags.
  package static func fold(_ name: String) -> [UInt8] { Array(name.lowercased().utf8) }

  /// Whether two names are the same.
  package static func equal(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8) || fold(left) == fold(right)
  }
}

extension CaseFolding {
  /// The folded name as text, for use as a key.
  package static func key(_ name: String) -> String {
    // Most names are lower-case ASCII, and need no copy.
    let bytes = name.utf8.span
    for index in bytes.indices {
      let byte = bytes[index]
      if byte >= 0x80 || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) {
        return name.lowercased()
      }
    }
    return name
  }
}
