import TokenVault
import TokenVaultModel

extension Account {
  /// What people call the account; an account without a name goes by its identifier.
  var shownName: String {
    if !username.isEmpty { return username }
    if let alias { return alias }
    return identifier.isEmpty ? "(no account)" : identifier
  }

  /// Where the account lives: its environment, and in B2C its policy, which makes it another
  /// account than the same person's others.
  var shownPlace: String { policy.map { "\(environment) \($0)" } ?? environment }

  /// The account as listings give it in JSON.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("identifier", identifier)
      writer.field("username", username)
      writer.field("environment", environment)
      writer.field("group", group.description)
      if let alias { writer.field("alias", alias) }
      writer.key("homeAccountId")
      writer.object {
        $0.field("objectId", homeAccountID.objectID)
        $0.field("tenantId", homeAccountID.tenantID)
      }
      writer.key("tenantProfiles")
      writer.array(tenantProfiles) { $1.write(to: &$0) }
      writer.field("clientIds", clientIDs)
      writer.field("current", isCurrent)
      writer.field("signedIn", isSignedIn)
      writer.field("authorityType", authorityType.description)
      if let accessTokenExpiresOn {
        writer.field("accessTokenExpiresOn", accessTokenExpiresOn.iso8601)
      }
      writer.field("refreshTokenStored", isRefreshTokenStored)
    }
  }
}

extension TenantProfile {
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("tenantId", tenantID)
      writer.field("identifier", identifier)
      writer.field("isHomeTenantProfile", isHomeTenantProfile)
      writer.key("claims")
      writer.raw(shownClaims)
    }
  }

  /// The claims are bytes of the issuer's. They are parsed and written anew, so that neither line
  /// ends nor control characters of its choice reach a terminal, nor anything that is no JSON.
  private var shownClaims: [UInt8] {
    let none = Array("{}".utf8)
    guard !claimsJSON.isEmpty else { return none }
    do { return try JSONValue(parsing: claimsJSON).bytes } catch { return none }
  }
}

/// The table of accounts for people.
struct AccountTable {
  private let accounts: [Account]
  private let table: TextTable

  init(_ accounts: [Account], now: Timestamp, showsGroup: Bool) {
    self.accounts = accounts
    let headings =
      ["", "ACCOUNT", "ALIAS", "ENVIRONMENT", "TENANTS", "STATE", "TOKEN"]
      + (showsGroup ? ["GROUP"] : [])
    let rows = [headings] + accounts.map { Self.row($0, now: now, showsGroup: showsGroup) }
    let showsAlias = accounts.contains { $0.alias != nil }
    table = TextTable(showsAlias ? rows : rows.map { Array($0[..<2] + $0[3...]) })
  }

  func text(columns: Int?, colour: Bool) -> [UInt8] {
    table.text(columns: columns, cut: 1) { row in
      guard colour, row > 0 else { return .plain }
      return accounts[row - 1].isCurrent ? .bold : accounts[row - 1].isSignedIn ? .plain : .dim
    }
  }

  private static func row(_ account: Account, now: Timestamp, showsGroup: Bool) -> [String] {
    let isSecret = account.authorityType == .secret
    let token =
      isSecret
      ? "stored secret"
      : account.accessTokenExpiresOn.map {
        ($0 > now ? "ends " : "ended ") + $0.relative(to: now)
      } ?? (account.isRefreshTokenStored ? "refresh only" : "none")
    return [
      account.isCurrent ? "*" : "", PlainText.escaped(account.shownName),
      PlainText.escaped(account.alias ?? ""), PlainText.escaped(account.shownPlace),
      isSecret ? "-" : "\(account.tenantProfiles.count)",
      isSecret ? "secret" : account.isSignedIn ? "signed in" : "signed out", token,
    ] + (showsGroup ? [account.group.description] : [])
  }
}
