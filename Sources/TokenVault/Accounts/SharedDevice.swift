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

  /// Refuses to store several accounts on a shared device.
  /// - Throws: ``VaultError/sharedDeviceTakesOne(given:)``.
  func requireOne(of count: Int) throws(VaultError) {
    if isShared, count > 1 { throw .sharedDeviceTakesOne(given: count) }
  }

  /// Refuses a change after which a shared device has an account besides those just stored.
  /// - Parameters:
  ///   - tags: The tags of the accounts that were just stored.
  ///   - transaction: The transaction that stored them.
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
