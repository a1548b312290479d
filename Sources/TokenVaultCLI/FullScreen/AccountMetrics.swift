import TokenVaultModel

/// The widest cells of a list of accounts, from which a window computes its columns.
struct AccountMetrics: Hashable, Sendable {
  private(set) var name = 0
  private(set) var alias = 0
  private(set) var place = 0
  /// The widest name, with the place of accounts that have one name.
  private(set) var label = 0
  private(set) var state = 0
  /// The widest text of a token without an expiry; 0 if each token has one.
  private var fixedToken = 0
  /// The expiry of the token that ends first.
  private var firstEnd: Timestamp?

  init(_ accounts: [Account], _ places: [String]) {
    for (index, (account, place)) in zip(accounts, places).enumerated() {
      name = max(name, PlainText.width(PlainText.escaped(account.shownName)))
      if let text = account.alias { alias = max(alias, PlainText.width(PlainText.escaped(text))) }
      self.place = max(self.place, PlainText.width(PlainText.escaped(place)))
      label = max(label, PlainText.width(accounts.label(index, PlainText.escaped(place))))
      state = max(state, account.shortState.utf8.count)
      if let end = account.accessTokenExpiresOn {
        firstEnd = min(firstEnd ?? end, end)
      } else {
        fixedToken = max(fixedToken, account.shortToken(.init(epochSeconds: 0)).utf8.count)
      }
    }
  }

  /// A width that no text of a token exceeds at this time.
  func token(_ now: Timestamp) -> Int {
    guard let firstEnd else { return fixedToken }
    let oldest = Clock.left(firstEnd, now).utf8.count
    let ended = firstEnd <= now ? max(oldest, "ended 59 min ago".utf8.count) : 0
    return max(fixedToken, ended, "47:59:59".utf8.count)
  }
}

extension Account {
  /// Whether it is signed in, in one word.
  var shortState: String {
    authorityType == .secret ? "secret" : isSignedIn ? "in" : "out"
  }

  /// The remaining time of its access token, or what else is stored.
  func shortToken(_ now: Timestamp) -> String {
    guard let end = accessTokenExpiresOn else {
      return authorityType == .secret
        ? "stored secret" : isRefreshTokenStored ? "refresh only" : "none"
    }
    return Clock.left(end, now)
  }
}
