/// Shortens the cells of a column so that two different texts do not look alike.
///
/// A text is cut at its end. Where that makes texts alike that are not, their middle is left out
/// instead, up to the place at which they differ: `https://id…/one`, `https://id…/two`.
struct DistinctCut {
  private let texts: [String]
  private let width: Int
  private let rows: [String]
  private(set) var cells: [String]

  /// - Parameter rows: cells of another column. Texts are compared only where these are the same;
  ///   nil to compare all.
  init(_ texts: [String], to width: Int, within rows: [String]? = nil) {
    self.texts = texts
    self.width = width
    self.rows = rows ?? Array(repeating: "", count: texts.count)
    cells = texts.map { PlainText.cut($0, to: width) }
    separate(texts.indices.filter { cells[$0] != texts[$0] }, after: 0)
  }

  /// Changes the cells that look alike although their texts differ.
  private mutating func separate(_ places: [Int], after start: Int) {
    for alike in Dictionary(grouping: places, by: { [rows[$0], cells[$0]] }).values {
      guard alike.contains(where: { texts[$0] != texts[alike[0]] }) else { continue }
      let characters = alike.map { Array(texts[$0]) }
      let common = Self.commonPrefix(characters)
      guard common >= start else { continue }
      for (place, text) in zip(alike, characters) {
        let rest = String(text[common...])
        let tail = PlainText.cut(rest, to: min(PlainText.width(rest), max(3, width / 2)))
        let room = width - PlainText.width(tail)
        // The shortened head ends in the ellipsis.
        cells[place] =
          PlainText.cut(
            String(text[..<common]) + "……", to: max(1, room)) + tail
      }
      separate(alike, after: common + 1)
    }
  }

  private static func commonPrefix(_ texts: [[Character]]) -> Int {
    let least = texts.map(\.count).min() ?? 0
    return (0..<least).first { place in texts.contains { $0[place] != texts[0][place] } } ?? least
  }
}
