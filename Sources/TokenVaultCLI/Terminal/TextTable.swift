import TokenVaultSystem

/// Text in aligned columns.
struct TextTable: Sendable {
  /// The cells of each column, from top to bottom. A listing has tens of thousands of rows, so no row is an
  /// object of its own.
  private let columns: [[String]]
  private let height: Int

  /// - Parameter columns: columns of the same height. Cells with foreign text must be escaped by ``PlainText``
  ///   already.
  init(columns: [[String]]) {
    self.columns = columns
    height = columns.first?.count ?? 0
  }

  /// - Parameter rows: the cells from left to right; a row may end early.
  init(_ rows: [[String]]) {
    let width = rows.map(\.count).max() ?? 0
    columns = (0..<width).map { column in rows.map { column < $0.count ? $0[column] : "" } }
    height = rows.count
  }

  /// The style of a row on a terminal.
  enum Style: String {
    case plain = ""
    case bold = "\u{1b}[1m"
    case dim = "\u{1b}[2m"
  }

  /// A table with fewer rows has its text from one thread.
  static var fewestForTwoThreads: Int { 512 }

  /// Rows with the widths of their cells, and the greatest one, for each column.
  private struct Part {
    let rows: Range<Int>
    let cells: [[Int]]
    let widths: [Int]
  }

  /// The lines of the table.
  func text(style: @escaping @Sendable (Int) -> Style = { _ in .plain }) -> [UInt8] {
    let parts = (0..<height).halves(ofAtLeast: Self.fewestForTwoThreads).inParallel { rows in
      let cells = columns.map { $0[rows].map(PlainText.width) }
      return Part(rows: rows, cells: cells, widths: cells.map { $0.max() ?? 0 })
    }
    let widths = columns.indices.map { column in parts.reduce(0) { max($0, $1.widths[column]) } }
    return parts.inParallel { text(of: $0, widths, style) }.reduce(into: []) { $0 += $1 }
  }

  private func text(of part: Part, _ widths: [Int], _ style: (Int) -> Style) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(part.rows.count * (widths.reduce(0, +) + 2 * widths.count))
    for row in part.rows {
      let style = style(row)
      text += style.rawValue.utf8
      for column in columns.indices {
        text += columns[column][row].utf8
        guard column + 1 < columns.count else { break }
        let width = part.cells[column][row - part.rows.lowerBound]
        text += repeatElement(UInt8(ascii: " "), count: widths[column] + 2 - width)
      }
      while text.last == UInt8(ascii: " ") { text.removeLast() }
      if style != .plain { text += "\u{1b}[0m".utf8 }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
