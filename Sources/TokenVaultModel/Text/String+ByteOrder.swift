extension String {
  /// The order of bytes, which is the order of code points and Python's order of strings; Swift's
  /// own order would make two spellings of one character equal.
  package func precedesInBytes(_ other: String) -> Bool {
    utf8.lexicographicallyPrecedes(other.utf8)
  }
}
