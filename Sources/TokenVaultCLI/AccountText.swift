import TokenVault
import VaultModel

extension Account {
  /// What people call the account; an account without a name goes by its identifier.
  var shownName: String {
    if !username.isEmpty { return username }
    if let alias { return alias }
    return identifier.isEmpty ? "(no account)" : identifier
  }

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
      // The vault stores claims as it wrote them itself, from a parsed ID token.
      writer.raw(claimsJSON.isEmpty ? Array("{}".utf8) : claimsJSON)
    }
  }
}

/// The table of accounts for people.
struct AccountTable {
  private let rows: [[String]]
  private let marks: [Bool]
  private let dim: [Bool]

  init(_ accounts: [Account], now: Timestamp, showsGroup: Bool) {
    let headings =
      ["", "ACCOUNT", "ALIAS", "ENVIRONMENT", "TENANTS", "STATE", "TOKEN"]
      + (showsGroup ? ["GROUP"] : [])
    let showsAlias = accounts.contains { $0.alias != nil }
    let all = [headings] + accounts.map { Self.row($0, now: now, showsGroup: showsGroup) }
    rows = showsAlias ? all : all.map { Array($0[..<2] + $0[3...]) }
    marks = [false] + accounts.map(\.isCurrent)
    dim = [false] + accounts.map { !$0.isSignedIn }
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
      PlainText.escaped(account.alias ?? ""), PlainText.escaped(account.environment),
      isSecret ? "-" : "\(account.tenantProfiles.count)",
      isSecret ? "secret" : account.isSignedIn ? "signed in" : "signed out", token,
    ] + (showsGroup ? [account.group.description] : [])
  }

  /// The lines, aligned. With `columns` the second column is cut where a line would be too long:
  /// on a terminal only, since a name that is cut is of no use to a program.
  func text(columns: Int?, colour: Bool) -> [UInt8] {
    var widths = [Int](repeating: 0, count: rows[0].count)
    for row in rows {
      for (index, cell) in row.enumerated() {
        widths[index] = max(widths[index], PlainText.width(cell))
      }
    }
    if let columns {
      let total = widths.reduce(2 * (widths.count - 1), +)
      widths[1] = max(12, widths[1] - max(0, total - columns))
    }
    var text: [UInt8] = []
    for (number, row) in rows.enumerated() {
      let style = !colour ? "" : marks[number] ? "\u{1b}[1m" : dim[number] ? "\u{1b}[2m" : ""
      text += style.utf8
      for (index, cell) in row.enumerated() {
        let shown = columns != nil && index == 1 ? PlainText.cut(cell, to: widths[1]) : cell
        text += shown.utf8
        guard index + 1 < row.count else { break }
        text += repeatElement(
          UInt8(ascii: " "), count: widths[index] + 2 - PlainText.width(shown))
      }
      while text.last == UInt8(ascii: " ") { text.removeLast() }
      if !style.isEmpty { text += "\u{1b}[0m".utf8 }
      text.append(UInt8(ascii: "\n"))
    }
    return text
  }
}
