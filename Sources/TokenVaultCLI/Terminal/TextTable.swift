/// Rows of text in aligned columns.
struct TextTable {
  private let rows: [[String]]
  private let columns: [Int]?

  /// - Parameters:
  ///   - rows: cells with foreign text must be escaped by ``PlainText`` already.
  ///   - columns: the columns to show of rows that have them all; nil for all.
  init(_ rows: [[String]], columns: [Int]? = nil) {
    self.rows = rows
    self.columns = columns
  }

  /// The style of a row on a terminal.
  enum Style: String {
    case plain = ""
    case bold = "\u{1b}[1m"
    case dim = "\u{1b}[2m"
  }

  /// The lines of the table.
  func text(style: (Int) -> Style = { _ in .plain }) -> [UInt8] {
    var widths: [Int] = []
    // The width of each cell, row by row: a listing has hundreds of thousands of cells.
    var cellWidths: [Int] = []
    for row in rows {
      for (index, column) in (columns ?? Array(row.indices)).enumerated() {
        let width = PlainText.width(row[column])
        if index == widths.count { widths.append(0) }
        widths[index] = max(widths[index], width)
        cellWidths.append(width)
      }
    }
    var text: [UInt8] = []
    var cellNumber = 0
    for (number, row) in rows.enumerated() {
      let style = style(number)
      text += style.rawValue.utf8
      let columns = columns ?? Array(row.indices)
      for (index, column) in columns.enumerated() {
        text += row[column].utf8
        let width = cellWidths[cellNumber]
        cellNumber += 1
        guard index + 1 < columns.count else { break }
        text += repeatElement(UInt8(ascii: " "), count: widths[index] + 2 - width)
      }
      while text.last == UInt8(ascii: " ") { text.removeLast() }
      if style != .plain { text += "\u{1b}[0m".utf8 }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
