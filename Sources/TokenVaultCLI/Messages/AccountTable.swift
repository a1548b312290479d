import TokenVault
import TokenVaultModel

/// The accounts as a table.
struct AccountTable {
  private let accounts: [Account]
  private let table: TextTable
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
    let headings =
      ["", "ACCOUNT", "ALIAS", "ENVIRONMENT", "TENANTS", "STATE", "TOKEN"]
      + (showsGroup ? ["GROUP"] : [])
    let rows =
      [headings]
      + zip(accounts, accounts.shownPlaces).map {
        Self.row($0, $1, isMarked: isMarked($0), now: now, showsGroup: showsGroup)
      }
    let showsAlias = accounts.contains { $0.alias != nil }
    table = TextTable(showsAlias ? rows : rows.map { Array($0[..<2] + $0[3...]) })
  }

  func text(columns: Int?, colour: Bool) -> [UInt8] {
    table.text(columns: columns, cut: 1) { row in
      guard colour, row > 0 else { return .plain }
      return isMarked(accounts[row - 1]) ? .bold : accounts[row - 1].isSignedIn ? .plain : .dim
    }
  }

  private static func row(
    _ account: Account, _ place: String, isMarked: Bool, now: Timestamp, showsGroup: Bool
  ) -> [String] {
    let isSecret = account.authorityType == .secret
    let token =
      account.accessTokenExpiresOn.map {
        ($0 > now ? "expires " : "expired ") + $0.relative(to: now)
      } ?? (isSecret ? "stored secret" : account.isRefreshTokenStored ? "refresh only" : "none")
    return [
      isMarked ? "*" : "", PlainText.escaped(account.shownName),
      PlainText.escaped(account.alias ?? ""), PlainText.escaped(place),
      isSecret ? "-" : "\(account.tenantProfiles.count)",
      isSecret ? "secret" : account.isSignedIn ? "signed in" : "signed out", token,
    ] + (showsGroup ? [account.group.description] : [])
  }
}
