@testable import TokenVault
import TokenVaultModel

@testable import TokenVaultCLI

/// Invented accounts and states of the full screen.
enum UIFixtures {
  static let now = Timestamp(epochSeconds: 1_700_000_000)
  static let group = GroupName.universalStorage

  static func account(
    _ name: String, isCurrent: Bool = false, isSignedIn: Bool = true, left: Int64? = 3600,
    alias: String? = nil, clients: [String] = ["client-1"], claims: String = ""
  ) -> Account {
    let home = HomeAccountID("\(name).tenant")
    return Account(
      homeAccountID: home, username: name, environment: "login.microsoftonline.com", group: group,
      alias: alias,
      tenantProfiles: [
        TenantProfile(
          tenantID: "tenant", identifier: name, username: name, isHomeTenantProfile: true,
          claimsJSON: Array(claims.utf8))
      ], clientIDs: clients, isCurrent: isCurrent, isSignedIn: isSignedIn,
      authorityType: .entra, accessTokenExpiresOn: left.map { now.advanced(by: $0) },
      isRefreshTokenStored: true,
      identity: AccountIdentity(
        homeAccountID: home, environment: "login.microsoftonline.com", authorityType: .entra))
  }

  static func secret(_ name: String = "eve", at service: String = "https://git.example.com")
    -> Account
  {
    let home = HomeAccountID("\(name)@\(service)")
    return Account(
      homeAccountID: home, username: name, environment: "git.example.com", group: group, alias: nil,
      tenantProfiles: [], clientIDs: [], isCurrent: false, isSignedIn: true,
      authorityType: .secret, accessTokenExpiresOn: nil, isRefreshTokenStored: false,
      identity: AccountIdentity(
        homeAccountID: home, environment: "git.example.com", authorityType: .secret))
  }

  /// What a reading posts, with the changes since the one before it.
  static func snapshot(_ accounts: [Account], after before: Snapshot? = nil) -> Snapshot {
    let list = AccountList(accounts)
    return Snapshot(
      list: list, current: list.current, emptyReason: accounts.isEmpty ? .noAccounts : nil,
      device: DeviceInformation(mode: .private, source: nil),
      changes: before.map { list.changes(since: $0.list, now: now) } ?? [])
  }

  static let two = [
    account("ada@contoso.example", isCurrent: true, left: 3599, alias: "work"),
    account("bob@contoso.example", isSignedIn: false, left: -600),
  ]

  /// A state that has read these accounts.
  static func state(
    _ accounts: [Account] = two, rows: Int = 24, columns: Int = 80
  ) -> UIState {
    var state = UIState(group: group, now: now)
    _ = state.take(.resized(rows: rows, columns: columns))
    _ = state.load()
    _ = state.take(.loaded(1, snapshot(accounts)))
    return state
  }
}

extension UIState {
  /// Types text or single characters.
  @discardableResult
  mutating func type(_ text: String) -> [UIEffect] {
    text.unicodeScalars.flatMap { take(.key(.character($0))) }
  }

  @discardableResult
  mutating func press(_ keys: Key...) -> [UIEffect] { keys.flatMap { take(.key($0)) } }

  /// The screen of a terminal without colour, without trailing spaces.
  var shown: String {
    screen().lines.map { line in
      String(line.text.reversed().drop { $0 == " " }.reversed())
    }.joined(separator: "\n")
  }
}
