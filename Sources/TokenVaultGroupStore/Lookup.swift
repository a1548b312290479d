import TokenVaultModel

// How accounts are looked for when the answer "none" must be true: damage in the directory of
// names or in an index of the file is never taken for an account that is not there.
extension GroupTransaction {
  /// The accounts that bear a name, which is folded (``CaseFolding``).
  ///
  /// What the directory of names says is believed as far as it is found; else every account is
  /// looked at, so a miss costs as much as a listing.
  /// - Throws: ``StoreError/damaged(rows:)`` also when none was found and some account does not
  ///   open, since it may be the one.
  package func accounts(named folded: [UInt8]) throws(StoreError) -> [StoredAccount] {
    var found: [StoredAccount] = []
    let listed = try listedTags(folded)
    for tag in listed {
      guard let account = try account(tag: tag), account.record.names.contains(folded) else {
        break
      }
      found.append(account)
    }
    if !listed.isEmpty, found.count == listed.count { return found }
    return try scan { $0.record.names.contains(folded) }
  }

  /// The group's current account; nil when it has none.
  package func currentAccount() throws(StoreError) -> StoredAccount? {
    guard let tag = state.current else { return nil }
    if let account = try account(tag: tag) { return account }
    guard let account = try scan({ $0.tag == tag }).first else { throw .damaged(rows: nil) }
    return account
  }

  private func listedTags(_ folded: [UInt8]) throws(StoreError) -> [[UInt8]] {
    do { return try tags(named: folded) } catch {
      guard case .damaged = error else { throw error }
      return []
    }
  }

  private func scan(_ isWanted: (StoredAccount) -> Bool) throws(StoreError) -> [StoredAccount] {
    var found: [StoredAccount] = []
    let damaged = try forEachAccount { if isWanted($0) { found.append($0) } }
    guard damaged == 0 || !found.isEmpty else { throw .damaged(rows: damaged) }
    return found
  }
}
