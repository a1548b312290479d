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

  /// The names of this many rows above and below the window are compared with those in it.
  private static let context = 4

  /// - Parameters:
  ///   - count: the number of rows of the whole list.
  ///   - rows: those to build.
  ///   - selected: the selected row.
  ///   - index: the index of the account in a row.
  init(
    _ list: AccountList, count: Int, rows: Range<Int>, selected: Int, now: Timestamp,
    columns: Int, index: (Int) -> Int
  ) {
    let headings = ["ACCOUNT", "ALIAS", "ENVIRONMENT", "STATE", "TOKEN"]
    var fit = Self.fit(list.metrics, headings, now, columns - 3)
    // Accounts with similar names are neighbours, because the list is in the order of names.
    let first = max(0, rows.lowerBound - Self.context)
    let indices = (first..<max(first, min(count, rows.upperBound + Self.context))).map(index)
    let places = indices.map { PlainText.escaped(list.places[$0]) }
    var names = indices.map { PlainText.escaped(list.accounts[$0].shownName) }
    if fit.widths[2] == nil {
      // The place of two accounts with one name moves to the name.
      names = zip(indices, places).map { list.accounts.label($0, $1) }
      fit = Self.fit(list.metrics, headings, now, columns - 3, withoutPlace: true)
    }
    names = DistinctCut(names, to: fit.widths[0] ?? 0).cells
    let shownPlaces = fit.widths[2].map { DistinctCut(places, to: $0, within: names).cells }
    heading = "   " + fit.line(headings)
    self.rows = rows.map { row in
      let account = list.accounts[indices[row - first]]
      return Row(
        account: account, isSelected: row == selected,
        text: (row == selected ? ">" : " ") + (account.isCurrent ? "* " : "  ")
          + fit.line([
            names[row - first], PlainText.escaped(account.alias ?? ""),
            shownPlaces?[row - first] ?? "", account.shortState, account.shortToken(now),
          ]))
    }
  }

  /// The least important column is left out first; a host is cut before it is left out.
  private static func fit(
    _ metrics: AccountMetrics, _ headings: [String], _ now: Timestamp, _ space: Int,
    withoutPlace: Bool = false
  ) -> ColumnFit {
    func column(_ index: Int, _ width: Int, atLeast least: Int? = nil) -> ColumnFit.Column {
      ColumnFit.Column(max(headings[index].utf8.count, width), atLeast: least)
    }
    return ColumnFit(
      [
        column(
          0, withoutPlace ? metrics.label : metrics.name, atLeast: ColumnFit.leastName(space)),
        metrics.alias > 0 ? column(1, metrics.alias, atLeast: 8) : nil,
        withoutPlace ? nil : column(2, metrics.place, atLeast: 14),
        column(3, metrics.state), column(4, metrics.token(now)),
      ], omitting: [2, 1, 3], narrowing: [2, 1, 0], into: space)
  }
}
