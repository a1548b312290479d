/// The widths of a table's columns in a window: no row is wider than the window.
struct ColumnFit {
  struct Column {
    /// The width of its widest cell.
    var widest: Int
    /// The width below which it is of no use.
    var least: Int

    /// - Parameter least: nil for a column whose cells are shown whole.
    init(_ widest: Int, atLeast least: Int? = nil) {
      self.widest = widest
      self.least = min(widest, least ?? widest)
    }
  }

  /// The width of each column; nil for one that is left out.
  private(set) var widths: [Int?]
  private let columns: [Column?]
  private let space: Int

  /// - Parameters:
  ///   - columns: nil for one that the table does not have.
  ///   - omissible: the columns to leave out until the others fit, the least important one first.
  ///   - elastic: the columns to narrow, in this order. The last one becomes as narrow as it must.
  ///   - space: the width for all cells and the two spaces between two of them.
  init(_ columns: [Column?], omitting omissible: [Int], narrowing elastic: [Int], into space: Int) {
    self.columns = columns
    self.space = space
    widths = columns.map { $0?.widest }
    for column in omissible where excess(\.least) > 0 { widths[column] = nil }
    for column in elastic { narrow(column, to: columns[column]?.least ?? 0) }
    if let last = elastic.last { narrow(last, to: 1) }
  }

  /// The number of columns by which the rows are too wide if each cell has this width.
  private func excess(_ width: (Column) -> Int) -> Int {
    let kept = columns.indices.compactMap { widths[$0] == nil ? nil : columns[$0] }
    return kept.reduce(2 * (kept.count - 1) - space) { $0 + width($1) }
  }

  private mutating func narrow(_ column: Int, to least: Int) {
    guard let width = widths[column] else { return }
    let all = widths.compactMap { $0 }
    let excess = all.reduce(2 * (all.count - 1) - space, +)
    widths[column] = max(min(width, least), width - max(0, excess))
  }

  /// The width below which names are cut only if there is no other column to leave out.
  static func leastName(_ space: Int) -> Int { max(20, space / 2) }

  /// One row. Its cells are as wide as their columns at most.
  func line(_ cells: [String]) -> String {
    var text = ""
    let last = widths.lastIndex { $0 != nil }
    for (index, cell) in cells.enumerated() {
      guard let width = widths[index] else { continue }
      let shown = PlainText.cut(cell, to: width)
      text += shown
      if index == last { break }
      text += String(repeating: " ", count: width + 2 - PlainText.width(shown))
    }
    return PlainText.cut(text, to: space)
  }
}
