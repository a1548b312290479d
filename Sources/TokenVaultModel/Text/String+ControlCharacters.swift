extension String {
  /// Whether it holds a C0 or C1 control, DEL, or one of Unicode's two line breaks.
  package var hasControlCharacters: Bool {
    unicodeScalars.contains {
      $0.value < 0x20 || (0x7f...0x9f).contains($0.value) || (0x2028...0x2029).contains($0.value)
    }
  }
}
