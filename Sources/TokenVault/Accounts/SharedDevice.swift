import TokenVaultGroupStore

/// A shared device has exactly one account. The rule is checked in the transaction that stores the
/// account, so that two tools cannot both find the device free.
struct SharedDevice {
  private let isShared: Bool
  private let lookup: AccountLookup

  init(_ session: GroupSession) throws(VaultError) {
    isShared = try DeviceInformation(session.configuration).isShared
    lookup = session.lookup
  }

  /// - Throws: ``VaultError/sharedDeviceTakesOne(given:)``.
  func requireOne(of count: Int) throws(VaultError) {
    if isShared, count > 1 { throw .sharedDeviceTakesOne(given: count) }
  }

  /// - Parameter tags: the accounts that were just stored.
  /// - Throws: ``VaultError/sharedDeviceOccupied(by:)``.
  func requireAlone(_ tags: [[UInt8]], in transaction: GroupTransaction) throws {
    guard isShared, transaction.state.accountCount > Set(tags).count else { return }
    var others: [StoredAccount] = []
    let damaged = try transaction.forEachAccount { account throws(StoreError) in
      if !tags.contains(account.tag) { others.append(account) }
    }
    guard let other = others.first else { throw StoreError.damaged(rows: damaged) }
    throw VaultError.sharedDeviceOccupied(by: lookup.account(other, in: transaction))
  }
}
