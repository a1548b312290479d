/// The lines of the screen and the position of the cursor.
struct UIScreen: Hashable {
  var lines: [Line] = []
  /// Nil for no cursor.
  var cursor: (row: Int, column: Int)?

  struct Line: Hashable {
    var text: String
    var style = Style.plain
  }

  /// No style is the only carrier of information: terminals without colour show none.
  enum Style: String {
    case plain = ""
    case bold = "\u{1b}[1m"
    case dim = "\u{1b}[2m"
    case reverse = "\u{1b}[7m"
  }

  static func == (left: UIScreen, right: UIScreen) -> Bool {
    left.lines == right.lines && left.cursor?.row == right.cursor?.row
      && left.cursor?.column == right.cursor?.column
  }

  func hash(into hasher: inout Hasher) { hasher.combine(lines) }

  mutating func add(_ text: String, _ style: Style = .plain) {
    lines.append(Line(text: text, style: style))
  }
}
