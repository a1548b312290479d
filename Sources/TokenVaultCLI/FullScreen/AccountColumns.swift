import TokenVault
import TokenVaultModel

/// Some rows of the list of accounts, in as many columns as fit into the window. No other row is
/// built, and the widths come from ``AccountMetrics``: they do not change while the list scrolls.
struct AccountColumns {
  struct Row {
    let account: Account
    let isSelected: Bool
    let text: String
  }
  let heading: String
  let rows: [Row]

  /// - Parameters:
  ///   - indices: the accounts of the rows.
  ///   - selected: the selected row.
  init(
    _ list: AccountList, _ indices: [Int], selected: Int, now: Timestamp, columns: Int
  ) {
    let metrics = list.metrics
    let headings = ["ACCOUNT", "ALIAS", "ENVIRONMENT", "STATE", "TOKEN"]
    let widest = zip(
      headings, [metrics.name, metrics.alias, metrics.place, metrics.state, metrics.token(now)]
    ).map { max($0.utf8.count, $1) }
    // The least important column is dropped first; a host is cut before it is dropped.
    var kept = metrics.alias > 0 ? [0, 1, 2, 3, 4] : [0, 2, 3, 4]
    func total(_ kept: [Int]) -> Int {
      kept.reduce(3 + 2 * (kept.count - 1)) { $0 + widest[$1] }
    }
    let shortest = 14
    func isTooWide(_ kept: [Int]) -> Bool {
      total(kept) - (kept.contains(2) ? max(0, widest[2] - shortest) : 0) > columns
    }
    for column in [2, 1, 3] where isTooWide(kept) { kept.removeAll { $0 == column } }
    var widths = kept.map { widest[$0] }
    let cut = kept.firstIndex(of: 2) ?? 0
    widths[cut] = max(8, widths[cut] - max(0, total(kept) - columns))

    func line(_ cells: [String]) -> String {
      var text = ""
      for (index, column) in kept.enumerated() {
        let cell = PlainText.cut(cells[column], to: widths[index])
        text += cell
        guard index + 1 < kept.count else { break }
        text += String(repeating: " ", count: widths[index] + 2 - PlainText.width(cell))
      }
      return text
    }
    heading = "   " + line(headings)
    rows = indices.enumerated().map { row, index in
      let account = list.accounts[index]
      let cells = [
        PlainText.escaped(account.shownName), PlainText.escaped(account.alias ?? ""),
        PlainText.escaped(list.places[index]), account.shortState, account.shortToken(now),
      ]
      return Row(
        account: account, isSelected: row == selected,
        text: (row == selected ? ">" : " ") + (account.isCurrent ? "* " : "  ") + line(cells))
    }
  }
}
