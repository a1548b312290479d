/// Finds the word that a misspelt one probably stands for.
enum Spelling {
  /// The nearest candidate; nil if none is near, or if two are equally near.
  static func nearest(to word: String, in candidates: [String]) -> String? {
    let word = Array(word.lowercased().unicodeScalars.prefix(longest))
    guard word.count > 1 else { return nil }
    let limit = word.count < 5 ? 1 : 2
    let near = Set(candidates).map { candidate in
      (candidate, distance(word, Array(candidate.lowercased().unicodeScalars.prefix(longest))))
    }.filter { $0.1 <= limit }
    guard let least = near.map(\.1).min() else { return nil }
    let best = near.filter { $0.1 == least }
    return best.count == 1 ? best[0].0 : nil
  }

  private static let longest = 64

  /// The number of letters to insert, delete, replace or exchange with their neighbour
  /// (Damerau and Levenshtein).
  private static func distance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var before: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var line = [row + 1]
      for (column, second) in other.enumerated() {
        var least = min(line[column], last[column + 1]) + 1
        least = min(least, last[column] + (letter == second ? 0 : 1))
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == second {
          least = min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      (before, last) = (last, line)
    }
    return last[other.count]
  }
}
