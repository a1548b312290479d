/// Text from files, providers and arguments, made safe for a terminal.
enum PlainText {
  /// The text with all characters escaped that a terminal would interpret instead of show: control
  /// characters (a user name may contain an escape sequence), and characters that reorder or hide
  /// their neighbours (Unicode TR 36, TR 39).
  static func escaped(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return text }
    guard text.unicodeScalars.contains(where: isActive) else { return text }
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      guard isActive(scalar) else {
        shown.append(scalar)
        continue
      }
      let hex = String(scalar.value, radix: 16)
      shown.append(contentsOf: (scalar.value < 0x100 ? "\\x" : "\\u").unicodeScalars)
      shown.append(
        contentsOf: String(
          repeating: "0", count: max(0, (scalar.value < 0x100 ? 2 : 4) - hex.count)
        )
        .unicodeScalars)
      shown.append(contentsOf: hex.unicodeScalars)
    }
    return String(shown)
  }

  /// The same for each line of a text; its line ends are kept.
  static func escapedLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) }
      .joined(separator: "\n")
  }

  /// A word quoted for a shell, for the commands in messages.
  static func shellWord(_ text: String) -> String {
    let plain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "@%+=:,./_-".utf8.contains(byte)
      }
    }
    if plain, !text.isEmpty { return text }
    return "'"
      + escaped(text).split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: #"'\''"#) + "'"
  }

  private static func isActive(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case ..<0x20, 0x7f..<0xa0, 0xad, 0x61c, 0x180e, 0x200b...0x200f, 0x2028...0x202e,
      0x2060...0x206f, 0xfeff, 0xfff9...0xfffb, 0xe0000...0xe0fff:
      true
    default: false
    }
  }

  /// The width of the text in terminal columns.
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    // The East Asian wide and fullwidth blocks of Unicode TR 11, and emoji.
    case 0x1100...0x115f, 0x2329...0x232a, 0x2e80...0x303e, 0x3041...0xa4cf, 0xa960...0xa97c,
      0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe19, 0xfe30...0xfe6f, 0xff00...0xff60,
      0xffe0...0xffe6, 0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1f200...0x1f2ff,
      0x1f300...0x1f64f, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    // The vowels and final consonants of a decomposed Hangul syllable, which join the first one.
    case 0x1160...0x11ff: return 0
    // Half of a flag.
    case 0x1f1e6...0x1f1ff: return 1
    case 0x231a...0x2bff, 0x1f000...0x1faff: return scalar.properties.isEmojiPresentation ? 2 : 1
    default: return 1
    }
  }

  /// The text cut to a number of columns, ending in an ellipsis if anything was cut.
  static func cut(_ text: String, to columns: Int) -> String {
    guard width(text) > columns else { return text }
    var kept = String.UnicodeScalarView()
    var used = 1
    for scalar in text.unicodeScalars {
      used += width(scalar)
      if used > columns { break }
      kept.append(scalar)
    }
    return columns > 0 ? String(kept) + "…" : ""
  }

  /// The text in lines of at most this many columns, broken at spaces where possible.
  static func wrapped(_ text: String, to columns: Int) -> [String] {
    guard columns > 1, width(text) > columns else { return [text] }
    var lines: [String] = []
    var line = String.UnicodeScalarView()
    var (used, lastSpace, hasWord) = (0, line.startIndex, false)
    for scalar in text.unicodeScalars {
      let width = width(scalar)
      if used + width > columns {
        let hasSpace = lastSpace > line.startIndex
        let end = hasSpace ? line.index(after: lastSpace) : line.endIndex
        lines.append(String(line[..<(hasSpace ? lastSpace : end)]))
        line = String.UnicodeScalarView(line[end...])
        used = PlainText.width(String(line))
        lastSpace = line.startIndex
      }
      // A break inside the indentation would leave an empty line.
      if scalar == " ", hasWord { lastSpace = line.endIndex }
      hasWord = hasWord || scalar != " "
      line.append(scalar)
      used += width
    }
    return lines + [String(line)]
  }
}
