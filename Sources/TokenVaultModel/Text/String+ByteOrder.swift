extension String {
  /// Whether it precedes `other` in byte order, which is the order of code points and Python's order
  /// of strings. Swift's own order makes two encodings of one character equal.
  package func precedesInBytes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
