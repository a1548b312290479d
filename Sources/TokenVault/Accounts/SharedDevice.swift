import TokenVaultGroupStore

/// A shared device has exactly one account. The rule is checked in the transaction that stores the
/// account, so that two tools cannot both find the device free.
struct SharedDevice {
  private let isShared: Bool
  private let session: GroupSession
  private var lookup: AccountLookup { session.lookup }

  init(_ session: GroupSession) throws(VaultError) {
    isShared = try DeviceInformation(session.configuration).isShared
    self.session = session
  }

  /// Whether no account is signed in. The browser may still have the session of the last person, which
  /// must not sign the next one in.
  func waitsForNextPerson() throws(VaultError) -> Bool {
    guard isShared else { return false }
    do {
      return try session.read { transaction in
        var isFree = true
        _ = try transaction.forEachAccount { stored throws(StoreError) in
          if stored.record.isSignedIn { isFree = false }
        }
        return isFree
      }
    } catch .noGroup { return true }
  }

  /// Refuses a sign-in with a device code while no account is signed in. The code may be entered in the
  /// browser of this device, and no parameter of RFC 8628 makes a provider ignore its session.
  /// - Throws: ``VaultError/sharedDeviceRequiresBrowser(group:)``.
  func requireBrowser() throws(VaultError) {
    if try waitsForNextPerson() {
      throw .sharedDeviceRequiresBrowser(group: session.group)
    }
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
