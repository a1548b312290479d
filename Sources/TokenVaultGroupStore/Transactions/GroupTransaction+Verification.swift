import Glibc
import TokenVaultCrypto
import TokenVaultModel

extension GroupTransaction {
  /// Whether a finding of SQLite is a page that the disk does not read, and no damage. It ends with
  /// "error code=" and the result code. The low byte of input and output is 10; with 2 above it, the
  /// file ends within a page.
  private static func isUnreadable(_ finding: String) -> Bool {
    guard let code = finding.split(separator: "=").last.flatMap({ Int32($0) }) else { return false }
    return code & 0xff == 10 && code >> 8 != 2
  }

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
    if let structure = report.structure, Self.isUnreadable(structure) {
      throw .io(call: "read", code: EIO)
    }
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
    try verifySlots()
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

  /// Without the rotation keys the group opens, but cannot change its key. A damaged slot is noticed
  /// otherwise when nothing else opens the group; a damaged check makes damage look like a wrong key.
  private func verifySlots() throws(StoreError) {
    guard let check = try database.meta(Format.Meta.check.rawValue),
      LockedGroup.KeyCheck(sealed: check, group: header.groupID).accepts(keys.key)
    else { throw .damaged(rows: nil) }
    let rotationKeys = try rotationKeys()
    for position in KeySlot.Position.allCases {
      guard let bytes = try database.meta(position.rawValue) else { continue }
      let slot = try KeySlot(encoded: bytes)
      guard let key = try rotationKeys.key(.slot, UInt64(position.rawValue)) else {
        throw .damaged(rows: nil)
      }
      do throws(CryptoError) {
        let opened = try SealingKey(key).openSecret(
          slot.sealedKey,
          associatedData: slot.associatedData(group: header.groupID, position: position))
        guard opened.isEqual(to: keys.key) else { throw CryptoError.failed }
      } catch { throw error == .failed ? .damaged(rows: nil) : .crypto }
    }
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
