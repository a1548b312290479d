import TokenVaultModel

// Lookups whose answer "none" is reliable: damage in the directory of names, or in an index of the
// file, is never mistaken for an account that does not exist.
extension GroupTransaction {
  /// The accounts with a name, folded by `CaseFolding`.
  ///
  /// This trusts the directory of names only if every account that it lists exists and has the
  /// name. Otherwise it reads every account, so a miss costs as much as a listing.
  /// - Throws: ``StoreError/damaged(rows:)``, also if no account was found but one does not open,
  ///   since that one may have the name.
  package func accounts(named folded: [UInt8]) throws(StoreError) -> [StoredAccount] {
    var found: [StoredAccount] = []
    let listed = try listedTags(named: folded)
    for tag in listed {
      guard let account = try account(tag: tag), account.record.names.contains(folded) else {
        break
      }
      found.append(account)
    }
    if !listed.isEmpty, found.count == listed.count { return found }
    return try scan { $0.record.names.contains(folded) }
  }

  /// The group's current account, or nil if it has none.
  package func currentAccount() throws(StoreError) -> StoredAccount? {
    guard let tag = state.current else { return nil }
    if let account = try account(tag: tag) { return account }
    guard let account = try scan({ $0.tag == tag }).first else { throw .damaged(rows: nil) }
    return account
  }

  private func listedTags(named folded: [UInt8]) throws(StoreError) -> [[UInt8]] {
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
