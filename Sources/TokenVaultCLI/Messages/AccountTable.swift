import TokenVault
import TokenVaultModel
import TokenVaultSystem

/// The accounts as a table.
struct AccountTable {
  private enum Column: Int, CaseIterable {
    case mark, account, alias, place, tenants, state, token, group

    var heading: String {
      switch self {
      case .mark: ""
      case .account: "ACCOUNT"
      case .alias: "ALIAS"
      case .place: "ENVIRONMENT"
      case .tenants: "TENANTS"
      case .state: "STATE"
      case .token: "TOKEN"
      case .group: "GROUP"
      }
    }
  }

  private let accounts: [Account]
  /// Each column with its heading, shown or not.
  private let cells: [[String]]
  private let columns: [Column]
  private let isMarked: @Sendable (Account) -> Bool

  /// - Parameter inForce: the account that commands use here if that is not the current one of its
  ///   group.
  init(_ accounts: [Account], now: Timestamp, showsGroup: Bool, inForce: Account? = nil) {
    self.accounts = accounts
    let isMarked = { @Sendable (account: Account) in
      guard let inForce, inForce.group == account.group else { return account.isCurrent }
      return account.identity == inForce.identity
    }
    self.isMarked = isMarked
    let places = accounts.placesOfNamesakes
    let halves = accounts.indices.halves(ofAtLeast: TextTable.fewestForTwoThreads)
    let parts = halves.inParallel { part in
      var cells = Column.allCases.map { _ in [String]() }
      for column in cells.indices { cells[column].reserveCapacity(part.count) }
      for row in part {
        let place = places[row] ?? accounts[row].shownPlace
        for column in Column.allCases {
          cells[column.rawValue].append(
            Self.cell(column, accounts[row], place, isMarked: isMarked, now: now))
        }
      }
      return cells
    }
    cells = Column.allCases.map { column in
      parts.reduce(into: [column.heading]) { $0 += $1[column.rawValue] }
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
    let shown = width.map(fitted) ?? columns.map { cells[$0.rawValue] }
    return TextTable(columns: shown).text { [accounts, isMarked] row in
      guard colour, row > 0 else { return .plain }
      return isMarked(accounts[row - 1]) ? .bold : accounts[row - 1].isSignedIn ? .plain : .dim
    }
  }

  private static func cell(
    _ column: Column, _ account: Account, _ place: String,
    isMarked: (Account) -> Bool, now: Timestamp
  ) -> String {
    let isSecret = account.authorityType == .secret
    return switch column {
    case .mark: isMarked(account) ? "*" : ""
    case .account: PlainText.escaped(account.shownName)
    case .alias: PlainText.escaped(account.alias ?? "")
    case .place: PlainText.escaped(place)
    case .tenants: isSecret ? "-" : "\(account.tenantProfiles.count)"
    case .state: isSecret ? "secret" : account.isSignedIn ? "signed in" : "signed out"
    case .token:
      account.accessTokenExpiresOn.map {
        $0.isNever ? "no expiry" : ($0 > now ? "expires " : "expired ") + $0.relative(to: now)
      } ?? (isSecret ? "stored secret" : account.isRefreshTokenStored ? "refresh only" : "none")
    case .group: account.group.description
    }
  }

  // MARK: A narrow terminal

  /// The columns, shortened so that each line fits into the width. No two accounts look alike.
  private func fitted(_ width: Int) -> [[String]] {
    var texts = cells
    var fit = fit(texts, width)
    if fit.widths[Column.place.rawValue] == nil {
      // The place of two accounts with one name moves to the name.
      texts[Column.account.rawValue] =
        ["ACCOUNT"] + accounts.labels(Array(cells[Column.place.rawValue].dropFirst()))
      fit = self.fit(texts, width, withoutPlace: true)
    }
    func shorten(_ column: Column, _ others: [Column]) {
      guard let width = fit.widths[column.rawValue] else { return }
      let within = texts[column.rawValue].indices.map { row in
        others.map { texts[$0.rawValue][row] }.joined(separator: "\n")
      }
      texts[column.rawValue] = DistinctCut(texts[column.rawValue], to: width, within: within).cells
    }
    shorten(.group, [])
    shorten(.account, [])
    shorten(.place, [.account, .group])
    shorten(.alias, [])
    return columns.map(\.rawValue).filter { fit.widths[$0] != nil }.map { texts[$0] }
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
