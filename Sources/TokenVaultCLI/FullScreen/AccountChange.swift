import TokenVaultModel

/// A change of an account between two readings of the group.
struct AccountChange: Sendable {
  enum Kind: Sendable {
    case removed, added, chosen
    case signed(in: Bool)
    case token(until: Timestamp)
    /// This many further changes.
    case more(Int)
  }
  let name: String
  let kind: Kind

  /// More changes than this are counted instead of listed.
  static let limit = 50

  func text(_ now: Timestamp) -> String {
    switch kind {
    case .removed: "\(name) was removed from the group"
    case .added: "\(name) was added to the group"
    case .chosen: "\(name) is current"
    case .signed(let isIn): "\(name) is signed \(isIn ? "in" : "out")"
    case .token(let end): "\(name) has a new token, valid for \(Clock.left(end, now))"
    case .more(let count): "and \(count) more change\(count == 1 ? "" : "s")"
    }
  }
}

extension AccountList {
  /// The changes since an earlier reading.
  func changes(since before: AccountList, now: Timestamp) -> [AccountChange] {
    var (changes, count): ([AccountChange], Int) = ([], 0)
    func note(_ account: Account, _ kind: AccountChange.Kind) {
      count += 1
      if count <= AccountChange.limit {
        changes.append(AccountChange(name: account.shownName, kind: kind))
      }
    }
    for account in before.accounts where index(of: account.identity) == nil {
      note(account, .removed)
    }
    for account in accounts {
      guard let old = before.index(of: account.identity).map({ before.accounts[$0] }) else {
        note(account, .added)
        continue
      }
      if account.isCurrent, !old.isCurrent { note(account, .chosen) }
      if account.isSignedIn != old.isSignedIn { note(account, .signed(in: account.isSignedIn)) }
      if let end = account.accessTokenExpiresOn, end > now, end != old.accessTokenExpiresOn {
        note(account, .token(until: end))
      }
    }
    if count > AccountChange.limit {
      changes.append(AccountChange(name: "", kind: .more(count - AccountChange.limit)))
    }
    return changes
  }
}
