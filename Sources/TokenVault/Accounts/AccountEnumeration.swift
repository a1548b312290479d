import TokenVaultGroupStore
import TokenVaultSystem
package import TokenVaultModel

/// Lists the accounts of a group.
package struct AccountEnumeration {
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }

  package init(_ session: GroupSession) { self.session = session }

  /// All accounts that match a query. A group without a file gives an empty listing with the
  /// reason.
  /// - Parameter progress: receives the number of accounts that were read, each time another
  ///   thousand was.
  package func accounts(
    _ query: AccountQuery, progress: (Int) -> Void = { _ in }
  ) throws(VaultError) -> AccountListing {
    do {
      return try session.read { transaction in
        let selection = try self.selection(query, in: transaction)
        var found: [Ordered] = []
        let damaged = try transaction.forEachAccount(
          viewedBy: { selection($0).map(Ordered.init) }, progress: progress
        ) { account throws(StoreError) in
          if let account { found.append(account) }
        }
        return AccountListing(
          accounts: Ordered.sorted(found).map(\.account),
          emptyReason: found.isEmpty ? try self.reason(query, in: transaction) : nil,
          damagedRows: damaged)
      }
    } catch .noGroup {
      let others = try GroupFiles.names(
        in: session.configuration.groupsDirectory, suffix: ".vault")
      return AccountListing(
        accounts: [],
        emptyReason: others.isEmpty ? .groupDoesNotExist : .onlyInOtherGroups(others),
        damagedRows: 0)
    }
  }

  /// Returns a function that maps a stored account to its public view if it matches the query, and
  /// to nil otherwise. If the query names a client, "signed in" means signed in for that client: a
  /// family's refresh token also signs in clients that have no token of their own.
  func selection(
    _ query: AccountQuery, in transaction: GroupTransaction
  ) throws -> @Sendable (ViewedAccount) -> Account? {
    let (lookup, current) = (lookup, transaction.state.current)
    @Sendable func shown(_ stored: ViewedAccount, _ query: AccountQuery) -> Account? {
      let account = lookup.account(stored, current: current)
      return query.matches(account) ? account : nil
    }
    guard let clientID = query.clientID, let signedIn = query.signedIn else {
      return { shown($0, query) }
    }
    let client = try FamilyClient(clientID, in: transaction)
    var rest = query
    rest.clientID = nil
    rest.signedIn = nil
    return { [rest] in $0.record.isSignedIn(client) == signedIn ? shown($0, rest) : nil }
  }

  private func reason(
    _ query: AccountQuery, in transaction: GroupTransaction
  ) throws -> EmptyReason {
    var without = query
    without.clientID = nil
    let others = try selection(without, in: transaction)
    var (isEmpty, allSignedOut, othersFulfil) = (true, true, false)
    _ = try transaction.forEachAccount { stored throws(StoreError) in
      isEmpty = false
      if stored.record.isSignedIn { allSignedOut = false }
      if others(stored.viewed) != nil { othersFulfil = true }
    }
    if isEmpty { return .noAccounts }
    if query.signedIn == true, allSignedOut { return .allSignedOut }
    return query.clientID != nil && othersFulfil ? .noneForClient : .noneMatches
  }
}

/// An account with the texts by which ``Account/isOrdered(_:_:)`` orders it, each folded once instead of
/// at every comparison. Sorting moves references: an account has dozens of fields.
private final class Ordered: Sendable {
  let account: Account
  let key: (String, String, String)

  init(_ account: Account) {
    self.account = account
    key = (
      CaseFolding.key(account.username), CaseFolding.key(account.identifier), account.environment
    )
  }

  /// The accounts in order. The halves of a long list are sorted at the same time.
  static func sorted(_ accounts: [Ordered]) -> [Ordered] {
    let halves = accounts.indices.halves(ofAtLeast: 512).inParallel { half in
      accounts[half].sorted { $0.key < $1.key }
    }
    guard halves.count == 2 else { return halves.first ?? [] }
    var merged: [Ordered] = []
    merged.reserveCapacity(accounts.count)
    var second = halves[1][...]
    for account in halves[0] {
      while let next = second.first, next.key < account.key { merged.append(second.removeFirst()) }
      merged.append(account)
    }
    return merged + second
  }
}
