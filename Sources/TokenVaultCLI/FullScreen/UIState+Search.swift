import TokenVaultModel

/// The search in the list of accounts.
extension UIState {
  /// The number of accounts in the list as it is shown.
  var shownCount: Int { search?.matches.count ?? accounts.count }

  /// The index of the account in a row of the list as it is shown.
  func index(ofRow row: Int) -> Int { search?.matches[row] ?? row }

  /// Opens a search, or the text of the present one.
  mutating func startSearch() {
    guard !accounts.isEmpty else { return }
    search?.isTyping = true
    guard search == nil else { return }
    search = AccountSearch(matches: Array(accounts.indices), anchor: place)
  }

  /// Ends the search. The selected account stays selected.
  mutating func endSearch() {
    guard let search else { return }
    place = shownCount > 0 ? index(ofRow: place) : max(0, min(search.anchor, accounts.count - 1))
    self.search = nil
  }

  mutating func takeInSearch(_ key: Key) {
    guard var search else { return }
    let before = search.text
    switch key {
    case .escape: return endSearch()
    case .enter, .tab:
      if before.isEmpty { return endSearch() }
      self.search?.isTyping = false
      return
    case .erase where before.isEmpty: return endSearch()
    case .up, .down, .pageUp, .pageDown, .home, .end: return moveInList(key)
    default: search.field.take(key)
    }
    self.search = search
    if search.text != before { searchAgain() }
  }

  /// Finds the accounts that match the text. The selected one stays selected if it still matches;
  /// otherwise the next match from where the search began is.
  mutating func searchAgain(selecting selected: Account? = nil) {
    guard var search else { return }
    search.matches = list.matches(search.text)
    if let index = selected.flatMap({ list.index(of: $0.identity) }) { search.anchor = index }
    let row = Self.firstIndex(in: search.matches, from: search.anchor)
    place = max(0, min(row, search.matches.count - 1))
    self.search = search
  }

  /// The next text is searched for from the selected account on.
  mutating func anchorSearch() {
    guard shownCount > 0 else { return }
    let index = index(ofRow: place)
    search?.anchor = index
  }

  /// The first place in ascending numbers of one that is not less than this.
  private static func firstIndex(in numbers: [Int], from least: Int) -> Int {
    var range = 0..<numbers.count
    while !range.isEmpty {
      let middle = (range.lowerBound + range.upperBound) / 2
      range = numbers[middle] < least ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }

  /// The line that shows the search.
  var searchLine: (text: String, cursor: Int?)? {
    guard let search else { return nil }
    let count =
      search.matches.isEmpty
      ? "no match" : "\(min(place + 1, search.matches.count)) of \(search.matches.count)"
    let window = search.field.window(max(8, columns - count.utf8.count - 6))
    return ("/\(window.text)   \(count)", search.isTyping ? 2 + window.cursor : nil)
  }
}
