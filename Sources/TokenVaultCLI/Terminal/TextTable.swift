/// Rows of text in aligned columns.
struct TextTable {
  private let rows: [[String]]

  /// - Parameter rows: cells with foreign text must be escaped by ``PlainText`` already.
  init(_ rows: [[String]]) { self.rows = rows }

  /// The style of a row on a terminal.
  enum Style: String {
    case plain = ""
    case bold = "\u{1b}[1m"
    case dim = "\u{1b}[2m"
  }

  /// The lines of the table. With `columns`, cells in the column `cut` are shortened so that lines
  /// fit. Pass `columns` for a terminal only: a program cannot use a shortened name.
  func text(
    columns: Int? = nil, cut: Int = 0, style: (Int) -> Style = { _ in .plain }
  ) -> [UInt8] {
    var widths: [Int] = []
    for row in rows {
      for (index, cell) in row.enumerated() {
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], PlainText.width(cell))
      }
    }
    if let columns, cut < widths.count {
      let total = widths.reduce(2 * (widths.count - 1), +)
      widths[cut] = max(min(12, widths[cut]), widths[cut] - max(0, total - columns))
    }
    var text: [UInt8] = []
    for (number, row) in rows.enumerated() {
      let style = style(number)
      text += style.rawValue.utf8
      for (index, cell) in row.enumerated() {
        let shown = columns != nil && index == cut ? PlainText.cut(cell, to: widths[cut]) : cell
        text += shown.utf8
        guard index + 1 < row.count else { break }
        text += repeatElement(UInt8(ascii: " "), count: widths[index] + 2 - PlainText.width(shown))
      }
      while text.last == UInt8(ascii: " ") { text.removeLast() }
      if style != .plain { text += "\u{1b}[0m".utf8 }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
