import TokenVault
import TokenVaultModel

/// The accounts, in as many columns as fit into the window.
struct AccountColumns {
  private var rows: [[String]]
  private var widths: [Int]
  private let marks: [String]

  init(_ accounts: [Account], now: Timestamp, columns: Int) {
    let hasAlias = accounts.contains { $0.alias != nil }
    marks = accounts.map { $0.isCurrent ? "* " : "  " }
    let all =
      [["ACCOUNT", "ALIAS", "ENVIRONMENT", "STATE", "TOKEN"]]
      + zip(accounts, accounts.shownPlaces).map { account, place in
        [
          PlainText.escaped(account.shownName), PlainText.escaped(account.alias ?? ""),
          PlainText.escaped(place),
          account.authorityType == .secret ? "secret" : account.isSignedIn ? "in" : "out",
          Self.token(account, now),
        ]
      }
    // The least important column is dropped first; a host is cut before it is dropped.
    var kept = hasAlias ? [0, 1, 2, 3, 4] : [0, 2, 3, 4]
    func widths(_ kept: [Int]) -> [Int] {
      kept.map { column in all.reduce(0) { max($0, PlainText.width($1[column])) } }
    }
    func total(_ kept: [Int]) -> Int {
      widths(kept).reduce(3 + 2 * (kept.count - 1), +)
    }
    let shortest = 14
    func isTooWide(_ kept: [Int]) -> Bool {
      let place = kept.contains(2) ? widths([2])[0] : 0
      return total(kept) - max(0, place - shortest) > columns
    }
    for column in [2, 1, 3] where isTooWide(kept) { kept.removeAll { $0 == column } }
    rows = all.map { row in kept.map { row[$0] } }
    self.widths = widths(kept)
    let cut = kept.firstIndex(of: 2) ?? 0
    self.widths[cut] = max(8, self.widths[cut] - max(0, total(kept) - columns))
  }

  var heading: String { "   " + text(0) }

  func line(_ index: Int, isSelected: Bool) -> String {
    (isSelected ? ">" : " ") + marks[index] + text(index + 1)
  }

  private func text(_ row: Int) -> String {
    var text = ""
    for (column, cell) in rows[row].enumerated() {
      let cell = PlainText.cut(cell, to: widths[column])
      text += cell
      guard column + 1 < rows[row].count else { break }
      text += String(repeating: " ", count: widths[column] + 2 - PlainText.width(cell))
    }
    return text
  }

  private static func token(_ account: Account, _ now: Timestamp) -> String {
    if account.authorityType == .secret { return "stored secret" }
    guard let end = account.accessTokenExpiresOn else {
      return account.isRefreshTokenStored ? "refresh only" : "none"
    }
    return Clock.left(end, now)
  }
}
