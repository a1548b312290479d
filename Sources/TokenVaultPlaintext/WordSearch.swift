/// Finds lines with the words that stand before a secret, in a file that is not understood.
enum WordSearch {
  static func secrets(
    in bytes: [UInt8], words: [String], _ error: PlaintextError
  ) -> [PlaintextSecret] {
    var reason = "the file is in a form that is not read"
    if case .notUnderstood(let line) = error { reason += ", see its line \(line)" }
    return TextLine.all(bytes).compactMap { line in
      let text = String(decoding: bytes[line.content], as: UTF8.self)
      guard !text.trimmed.hasPrefix("#"), words.contains(where: { stands($0, in: text) }) else {
        return nil
      }
      return PlaintextSecret(.token, at: "line \(line.number)", cuts: [.kept(reason)])
    }
  }

  /// Whether the word is the name of a value. Where none follows, it may stand on the next line.
  private static func stands(_ word: String, in text: String) -> Bool {
    var rest = text[...]
    while let place = rest.firstRange(of: word) {
      let after = rest[place.upperBound...].drop { " \t\"'".contains($0) }
      if let separator = after.first, ":=".contains(separator) { return true }
      rest = rest[place.upperBound...]
    }
    return false
  }
}
