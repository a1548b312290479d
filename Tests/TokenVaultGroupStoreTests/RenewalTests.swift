import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// The cure for a leaked key: a renewal leaves nothing in the file that a former key opens.
@Suite(.timeLimit(.minutes(10))) struct RenewalTests {
  private static let people = (0..<8).map {
    SampleGroup.record("id-\($0)", "person\($0)@contoso.example", alias: $0 == 3 ? "work" : "")
  }

  private func made(_ path: String) throws -> FreshGroup {
    try FreshGroup(path) { transaction in
      transaction.startRows(at: 60)
      for record in Self.people { try SampleGroup.add(record, to: transaction) }
      let third = try #require(try transaction.accounts(named: CaseFolding.fold("work")).first)
      transaction.state.current = third.tag
      transaction.state.principals["client"] = .init(account: third.tag)
      try transaction.setExtras(Array(#"{"AppMetadata":{}}"#.utf8))
      try transaction.setSlot(
        .recovery, under: SecretBytes(copying: [UInt8](repeating: 5, count: 32)),
        parameters: .init(salt: [UInt8](repeating: 1, count: 32)))
    }
  }

  @discardableResult
  private func renew(
    _ group: inout FreshGroup, _ opened: UnlockedGroup? = nil
  ) throws -> (UnlockedGroup, GroupTransaction.Renewed) {
    let next = try RandomBytes.make(32)
    let opened = try opened ?? group.open()
    let renewed = try opened.write { transaction in
      _ = try transaction.rotate(
        to: key(next, of: opened.header), erasing: [], boot: "boot", deletesOldKey: false)
      for position in KeySlot.Position.allCases { try transaction.removeSlot(position) }
      return try transaction.renew()
    }
    group.secret = next
    #expect(try opened.truncateLog())
    return (opened, renewed)
  }

  /// Every value of the file but the header.
  private func values(_ path: String, _ key: [UInt8]) throws -> Set<[UInt8]> {
    let group = try unlock(path, key)
    var values: Set<[UInt8]> = []
    for sql in [
      "SELECT value FROM meta WHERE id <> 0", "SELECT tag FROM account",
      "SELECT sheet FROM account",
      "SELECT key_id FROM account_key", "SELECT wrapped FROM account_key",
      "SELECT sealed FROM record", "SELECT tag FROM name", "SELECT sealed FROM name",
    ] {
      let query = try group.database.statement(sql)
      while try query.step() { values.insert(query.bytes(0)) }
    }
    return values
  }

  @Test func aRenewalKeepsEveryAccountAndReplacesEveryRow() throws {
    let scratch = try Scratch()
    let path = scratch("a.vault")
    var group = try made(path)
    var before = try SampleGroup.content(of: group.open())
    let rows = try values(path, group.secret)
    let (opened, renewed) = try renew(&group)
    #expect(renewed.tags.count == 8 && renewed.unreadable == 0)
    before.generation = 2
    before.hasRecoverySlot = false
    // The former keyring part still leads to the new key until a later boot has read that.
    before.deletionChecks = [.init(generation: 1, boot: "boot")]
    #expect(before.isSound && before.current == "id-3")
    #expect(before.principals == ["client": "id-3"])
    #expect(try SampleGroup.content(of: opened) == before)
    #expect(try SampleGroup.content(of: group.open()) == before)
    #expect(try values(path, group.secret).isDisjoint(with: rows))
    // No page of the file contains a piece of a former row.
    let file = try [path, path + "-wal"].filter(FileManager.default.fileExists(atPath:))
      .map { Data(try contents($0)) }
    for row in rows where row.count >= 16 {
      for start in stride(from: 0, to: row.count - 15, by: 64) {
        let piece = Data(row[start..<(start + 16)])
        // A node of the tree of digests has zeros where there is no account.
        guard piece.contains(where: { $0 != 0 }) else { continue }
        #expect(file.allSatisfy { $0.range(of: piece) == nil })
      }
    }
  }

  /// With a copy from before and every key in it, and the file of today.
  @Test func noFormerKeyOpensAnythingInTheRenewedFile() throws {
    let scratch = try Scratch()
    var group = try made(scratch("a.vault"))
    let oldSecret = group.secret
    let former = try group.open()
    var keys: [SealingKey] = []
    var tags: [TagKey] = []
    var slotKeys: [[UInt8]] = [[UInt8](repeating: 5, count: 32)]
    try former.read { transaction in
      keys += [transaction.keys.wrap, transaction.keys.rows]
      tags.append(transaction.keys.tags)
      if let slotKey = try transaction.rotationKeys().key(.slot, 5) {
        unsafe slotKey.withUnsafeBytes { unsafe slotKeys.append([UInt8]($0)) }
      }
      _ = try transaction.forEachAccount { keys.append($0.key) }
    }
    #expect(keys.count == 10 && slotKeys.count == 2)
    let (present, _) = try renew(&group)
    try present.write {
      try $0.setSlot(
        .recovery, under: SecretBytes(copying: RandomBytes.make(32)),
        parameters: .init(salt: RandomBytes.make(32)))
    }
    #expect(throws: StoreError.wrongKey) { _ = try unlock(scratch("a.vault"), oldSecret) }
    let header = present.header
    var places = [header.associatedData(.check), header.associatedData(.state)]
    places += [header.associatedData(.extras), try header.lookupKeyData()]
    try present.read { transaction in
      _ = try transaction.forEachAccount { account throws(StoreError) in
        places.append(transaction.accountKeyData(tag: account.tag, keyID: account.keyID))
        places.append(header.associatedData(.accountRecord, account: account.tag))
        for stored in account.record.stored {
          places.append(try transaction.recordData(stored.credential, account: account.tag))
        }
        for name in account.record.names {
          places.append(header.associatedData(.name, row: try transaction.nameTag(name)))
        }
        for key in tags {
          var writer = ByteWriter()
          writer.text("account")
          for part in [account.record.homeAccountID, account.record.environment, ""] {
            writer.text(part)
          }
          let former = try key.rowTag(writer.bytes)
          #expect(former != account.tag)
        }
      }
    }
    // Every former key on every row, in every place.
    var opened = 0
    for sealed in try values(scratch("a.vault"), group.secret) where sealed.count > 28 {
      for key in keys {
        for place in places {
          do { _ = try key.open(sealed, associatedData: place) } catch { continue }
          opened += 1
        }
      }
    }
    #expect(opened == 0)
    let locked = try LockedGroup(path: scratch("a.vault"))
    let slot = try #require(try locked.slot(.recovery))
    for bytes in slotKeys {
      var key = try SecretBytes(copying: bytes)
      for _ in 0..<4 {
        #expect(throws: StoreError.wrongKey) {
          _ = try locked.open(slot, at: .recovery, with: key)
        }
        key = try KeySlot.nextKey(after: key, group: header.groupID)
      }
    }
    withExtendedLifetime(former) {}
  }

  /// The row of one account does not open, and neither does a credential of another, nor the extras.
  @Test func aDamagedRowStaysUnreadableAndItsBytesAreReplaced() throws {
    let scratch = try Scratch()
    let path = scratch("a.vault")
    var group = try made(path)
    let opened = try group.open()
    let third = try opened.read {
      try #require(try $0.accounts(named: CaseFolding.fold("work")).first)
    }
    for sql in [
      "UPDATE account SET sheet = zeroblob(20) || substr(sheet, 21) WHERE id = 61",
      "UPDATE record SET sealed = zeroblob(20) || substr(sealed, 21) WHERE id = "
        + "\(third.record.stored[1].row)",
      "INSERT INTO record(account, sealed) VALUES(2000, zeroblob(300))",
      "UPDATE meta SET value = zeroblob(40) || substr(value, 41) WHERE id = 6",
    ] { try opened.database.execute(sql) }
    let rows = try values(path, group.secret)
    let (_, renewed) = try renew(&group)
    #expect(renewed.tags.count == 7 && renewed.unreadable == 1)
    #expect(renewed.unreadableCredentials == 1)
    #expect(try values(path, group.secret).isDisjoint(with: rows))
    try group.open().read { transaction in
      #expect(try transaction.forEachAccount { _ in } == 1)
      let third = try #require(try transaction.currentAccount())
      _ = try transaction.payload(of: third.record.stored[0], in: third)
      #expect(throws: StoreError.damaged(rows: 1)) {
        try transaction.payload(of: third.record.stored[1], in: third)
      }
      #expect(throws: StoreError.damaged(rows: 1)) { try transaction.extras() }
    }
  }

  @Test func aReplacedRowIsDamageAndIsNotRenewed() throws {
    let scratch = try Scratch()
    var group = try made(scratch("a.vault"))
    let opened = try group.open()
    let old = try #require(try opened.read { try $0.account(after: 0) })
    try opened.write { transaction in
      var account = try transaction.open(old)
      account.record.alias = "later"
      try transaction.update(&account)
    }
    let change = try opened.database.statement("UPDATE account SET sheet = ? WHERE id = ?")
    try change.bind(1, old.record)
    try change.bind(2, old.id)
    try change.run()
    let secret = group.secret
    #expect(throws: StoreError.damaged(rows: nil)) { try renew(&group) }
    #expect(try unlock(scratch("a.vault"), secret).header.generation == 1)
  }

  @Test func aWriteThatBeganBeforeARenewalFindsItsAccountByItsIdentity() throws {
    let scratch = try Scratch()
    var group = try made(scratch("a.vault"))
    var stale = try #require(
      try group.open().read { try $0.accounts(named: CaseFolding.fold("work")) }.first)
    let (opened, _) = try renew(&group)
    stale.record.alias = "later"
    #expect(throws: StoreError.accountGone) { try opened.write { try $0.update(&stale) } }
    try opened.write { transaction in
      #expect(try transaction.account(tag: stale.tag) == nil)
      var account = try #require(try transaction.account(storedAs: stale.record.identity))
      account.record.alias = "later"
      try transaction.update(&account)
    }
    #expect(try opened.read { try $0.verify() }.isSound)
  }
}
