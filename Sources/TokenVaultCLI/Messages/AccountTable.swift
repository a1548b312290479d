import TokenVault
import TokenVaultModel

/// The accounts as a table.
struct AccountTable {
  private enum Column: Int, CaseIterable {
    case mark, account, alias, place, tenants, state, token, group
  }

  private let accounts: [Account]
  /// The headings and the accounts, with every column.
  private let rows: [[String]]
  private let columns: [Column]
  private let isMarked: (Account) -> Bool

  /// - Parameter inForce: the account that commands use here if that is not the current one of its
  ///   group.
  init(_ accounts: [Account], now: Timestamp, showsGroup: Bool, inForce: Account? = nil) {
    self.accounts = accounts
    let isMarked = { (account: Account) in
      guard let inForce, inForce.group == account.group else { return account.isCurrent }
      return account.identity == inForce.identity
    }
    self.isMarked = isMarked
    rows =
      [["", "ACCOUNT", "ALIAS", "ENVIRONMENT", "TENANTS", "STATE", "TOKEN", "GROUP"]]
      + zip(accounts, accounts.shownPlaces).map {
        Self.row($0, $1, isMarked: isMarked($0), now: now)
      }
    let showsAlias = accounts.contains { $0.alias != nil }
    columns = Column.allCases.filter {
      ($0 != .alias || showsAlias) && ($0 != .group || showsGroup)
    }
  }

  /// The lines of the table.
  /// - Parameter width: the width of a terminal, in which no line wraps; nil for a program, which
  ///   cannot use a shortened name.
  func text(columns width: Int?, colour: Bool) -> [UInt8] {
    let table =
      width.map { TextTable(fitted($0)) } ?? TextTable(rows, columns: columns.map(\.rawValue))
    return table.text { row in
      guard colour, row > 0 else { return .plain }
      return isMarked(accounts[row - 1]) ? .bold : accounts[row - 1].isSignedIn ? .plain : .dim
    }
  }

  private static func row(
    _ account: Account, _ place: String, isMarked: Bool, now: Timestamp
  ) -> [String] {
    let isSecret = account.authorityType == .secret
    let token =
      account.accessTokenExpiresOn.map {
        $0.isNever ? "no expiry" : ($0 > now ? "expires " : "expired ") + $0.relative(to: now)
      } ?? (isSecret ? "stored secret" : account.isRefreshTokenStored ? "refresh only" : "none")
    return [
      isMarked ? "*" : "", PlainText.escaped(account.shownName),
      PlainText.escaped(account.alias ?? ""), PlainText.escaped(place),
      isSecret ? "-" : "\(account.tenantProfiles.count)",
      isSecret ? "secret" : account.isSignedIn ? "signed in" : "signed out", token,
      account.group.description,
    ]
  }

  // MARK: A narrow terminal

  /// The cells, shortened so that each line fits into the width. No two accounts look alike.
  private func fitted(_ width: Int) -> [[String]] {
    var texts = Column.allCases.map { column in rows.map { $0[column.rawValue] } }
    var fit = fit(texts, width)
    if fit.widths[Column.place.rawValue] == nil {
      // The place of two accounts with one name moves to the name.
      texts[Column.account.rawValue] =
        ["ACCOUNT"] + accounts.labels(rows.dropFirst().map { $0[Column.place.rawValue] })
      fit = self.fit(texts, width, withoutPlace: true)
    }
    func shorten(_ column: Column, _ others: [Column]) {
      guard let width = fit.widths[column.rawValue] else { return }
      let within = rows.indices.map { row in
        others.map { texts[$0.rawValue][row] }.joined(separator: "\n")
      }
      texts[column.rawValue] = DistinctCut(texts[column.rawValue], to: width, within: within).cells
    }
    shorten(.group, [])
    shorten(.account, [])
    shorten(.place, [.account, .group])
    shorten(.alias, [])
    let kept = columns.map(\.rawValue).filter { fit.widths[$0] != nil }
    return rows.indices.map { row in kept.map { texts[$0][row] } }
  }

  private func fit(
    _ texts: [[String]], _ space: Int, withoutPlace: Bool = false
  ) -> ColumnFit {
    let sizes = Column.allCases.map { column -> ColumnFit.Column? in
      guard columns.contains(column), column != .place || !withoutPlace else { return nil }
      let least: Int? =
        switch column {
        case .account: ColumnFit.leastName(space)
        case .alias: 8
        case .place: 14
        case .group: 16
        case .mark, .tenants, .state, .token: nil
        }
      return ColumnFit.Column(
        texts[column.rawValue].reduce(0) { max($0, PlainText.width($1)) }, atLeast: least)
    }
    let omissible: [Column] =
      [.tenants, .place, .alias, .state] + (columns.contains(.group) ? [.token] : [])
    return ColumnFit(
      sizes, omitting: omissible.map(\.rawValue),
      narrowing: [.place, .group, .alias, .account].map { (column: Column) in column.rawValue },
      into: space)
  }
}
