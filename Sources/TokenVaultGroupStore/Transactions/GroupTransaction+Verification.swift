import TokenVaultModel

extension GroupTransaction {
  /// Opens every row and compares the directory of names with the accounts.
  /// - Parameter progress: Called after each account with the number of accounts so far.
  package func verify(
    progress: (Int) -> Void = { _ in }
  ) throws(StoreError) -> VerificationReport {
    try database.requireExpectedSchema()
    var report = VerificationReport()
    let check = try database.statement("PRAGMA integrity_check(1)")
    if try check.step(), check.text(0) != "ok" { report.structure = check.text(0) }
    check.reset()
    var names: [[UInt8]: Set<[UInt8]>] = [:]
    report.damagedAccounts = try forEachAccount { account throws(StoreError) in
      report.accounts += 1
      progress(report.accounts)
      for name in account.record.names {
        names[try nameTag(name), default: []].insert(account.tag)
      }
      do throws(StoreError) {
        for stored in account.record.stored {
          _ = try payload(of: stored, in: account)
          report.credentials += 1
        }
      } catch {
        guard case .damaged = error else { throw error }
        report.damagedAccounts += 1
      }
    }
    report.accounts += report.damagedAccounts
    // Without the rotation keys the group opens, but cannot change its key.
    if !header.isOutdated { _ = try rotationKeys() }
    report.isHistoryDamaged = try soundHistory() == nil
    guard report.damagedAccounts == 0 else { return report }
    report.strayRows = try strayNames(names)
    report.strayRows += abs(try count("record") - report.credentials)
    report.strayRows += abs(try count("account_key") - report.accounts)
    if let nodes = try tree?.census().nodes {
      report.strayRows += abs(try count("meta WHERE id < 0") - nodes)
    }
    return report
  }

  private func strayNames(_ expected: [[UInt8]: Set<[UInt8]>]) throws(StoreError) -> Int {
    let query = try database.statement("SELECT tag, sealed FROM name")
    defer { query.reset() }
    var rest = expected
    var stray = 0
    while try query.step() {
      let tag = query.bytes(0)
      let listed = Set(try openName(query.bytes(1), tag: tag))
      if rest.removeValue(forKey: tag) != listed { stray += 1 }
    }
    return stray + rest.count
  }

  private func count(_ table: String) throws(StoreError) -> Int {
    // For count(*), SQLite walks through all pages in one step, which no ``ScanLimit`` ends.
    let query = try database.statement("SELECT sum(1) FROM \(table)")
    defer { query.reset() }
    return try query.step() ? Int(query.int64(0)) : 0
  }
}
