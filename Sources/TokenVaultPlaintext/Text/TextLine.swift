/// A line of a file.
struct TextLine {
  /// The line with its end.
  let range: Range<Int>
  /// The line without its end.
  let content: Range<Int>
  /// Counted from 1.
  let number: Int

  static func all(_ bytes: [UInt8]) -> [TextLine] {
    var lines: [TextLine] = []
    var start = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    while start < bytes.count {
      let feed = bytes[start...].firstIndex(of: 0x0a)
      var end = feed ?? bytes.count
      let next = feed.map { $0 + 1 } ?? bytes.count
      if end > start, bytes[end - 1] == 0x0d { end -= 1 }
      lines.append(TextLine(range: start..<next, content: start..<end, number: lines.count + 1))
      start = next
    }
    return lines
  }

  /// Nil if the line is not UTF-8.
  func text(_ bytes: [UInt8]) -> String? { String(validating: bytes[content], as: UTF8.self) }
}

extension StringProtocol {
  /// Without spaces and tabs at both ends.
  var trimmed: String {
    var text = self[...]
    while let first = text.first, first == " " || first == "\t" { text = text.dropFirst() }
    while let last = text.last, last == " " || last == "\t" { text = text.dropLast() }
    return String(text)
  }
}
