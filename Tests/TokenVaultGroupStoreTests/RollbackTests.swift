import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// An attacker without a key has an earlier copy of the file, of the same generation, and puts parts
/// of it back. Each part was sealed under keys that are still valid.
@Suite(.timeLimit(.minutes(5))) struct RollbackTests {
  /// 130 accounts fill three nodes of the tree of digests.
  private static let people = (1...130).map {
    SampleGroup.record("id-\($0)", "person\($0)@contoso.example")
  }

  private let scratch: Scratch
  private let fresh: FreshGroup
  private let group: UnlockedGroup

  /// A copy of the file from before a new token of each of these accounts was stored.
  init() throws {
    scratch = try Scratch()
    fresh = try FreshGroup(scratch("a.vault")) { transaction in
      for record in Self.people { try SampleGroup.add(record, to: transaction) }
    }
    group = try fresh.open()
    try group.database.execute("VACUUM INTO '\(scratch("copy"))'")
    try group.database.execute("ATTACH '\(scratch("copy"))' AS copy")
    for number in [1, 2, 70, 130] { try renewToken(of: number) }
  }

  private func renewToken(of number: Int, to secret: String = "newer") throws {
    try group.write { transaction in
      var account = try #require(
        try transaction.account(storedAs: Self.people[number - 1].identity))
      try transaction.store(
        SampleGroup.credential(.accessToken, for: account.record),
        CredentialPayload(secret: Redacted(Array(secret.utf8))), in: &account)
      try transaction.update(&account)
    }
  }

  private func attack(_ sql: String) throws { try group.database.execute(sql) }

  /// Puts back every row of the account that has this row number.
  private func putBack(_ row: Int) throws {
    try attack(
      """
      UPDATE account SET sheet = (SELECT sheet FROM copy.account WHERE id = \(row))
        WHERE id = \(row);
      INSERT OR REPLACE INTO account_key SELECT * FROM copy.account_key WHERE id = \(row);
      DELETE FROM record WHERE account = \(row);
      INSERT INTO record SELECT * FROM copy.record WHERE account = \(row)
      """)
  }

  /// The access token, as `tokenvault token` reads it; nil if the file is damaged.
  private func token(of number: Int) throws -> String? {
    let name = CaseFolding.fold(Self.people[number - 1].username)
    do {
      return try fresh.open().read { transaction in
        let account = try #require(try transaction.accounts(named: name).first)
        let stored = try #require(
          account.record.stored.first { $0.credential.kind == .accessToken })
        let payload = try transaction.payload(of: stored, in: account)
        return String(decoding: payload.secret.reveal(), as: UTF8.self)
      }
    } catch StoreError.damaged { return nil }
  }

  /// The ids of the accounts that a listing does not contain. One thread and two threads find the same.
  private func missingInList() throws -> Set<String> {
    try fresh.open().read { transaction in
      var missing = Set(Self.people.map(\.homeAccountID))
      var listed: [[UInt8]] = []
      var count = 0
      let damaged = try transaction.forEachAccount {
        missing.remove($0.record.homeAccountID)
        listed.append($0.tag)
        count += 1
      }
      var viewed: [[UInt8]] = []
      let damagedViews = try transaction.forEachAccount(viewedBy: \.tag) { viewed.append($0) }
      #expect(viewed == listed && damagedViews == damaged)
      #expect(damaged == Self.people.count - count && count + missing.count == 130)
      return missing
    }
  }

  @Test func theTokenOfAnOlderAccountRowIsNotReturned() throws {
    #expect(try token(of: 70) == "newer")
    try putBack(70)
    #expect(try token(of: 70) == nil)
    #expect(try token(of: 1) == "newer")
    #expect(try token(of: 130) == "newer")
    #expect(try token(of: 3) == SampleGroup.secret(.accessToken, of: Self.people[2]))
    #expect(try missingInList() == ["id-70"])
  }

  /// The damage is in another account, in its record, its key or its row number.
  @Test(arguments: [
    "UPDATE account SET sheet = zeroblob(20) || substr(sheet, 21) WHERE id = 5",
    "UPDATE account_key SET wrapped = zeroblob(60) WHERE id = 5",
    "UPDATE account SET tag = zeroblob(32) WHERE id = 5",
    "DELETE FROM account_key WHERE id = 5",
    "DELETE FROM account WHERE id = 5",
    "UPDATE account SET id = 5000 WHERE id = 5",
  ])
  func damageInAnotherAccountDoesNotHideAnOlderRow(damage: String) throws {
    try attack(damage)
    try putBack(2)
    #expect(try missingInList() == ["id-2", "id-5"])
    #expect(try token(of: 2) == nil)
    #expect(try token(of: 70) == "newer")
  }

  @Test func rowsThatChangedPlacesAreNotReturned() throws {
    try attack(
      """
      UPDATE account SET id = -id WHERE id IN (10, 11);
      UPDATE account SET id = 21 + id WHERE id < 0;
      UPDATE account_key SET id = -id WHERE id IN (10, 11);
      UPDATE account_key SET id = 21 + id WHERE id < 0;
      UPDATE account SET id = 4000 WHERE id = 70; UPDATE account_key SET id = 4000 WHERE id = 70
      """)
    for number in [10, 11, 70] { #expect(try token(of: number) == nil) }
    #expect(try missingInList() == ["id-10", "id-11", "id-70"])
    #expect(try token(of: 130) == "newer")
  }

  @Test func aRowThatWasPutBackAfterItsAccountWasStoredAnewIsNotReturned() throws {
    try group.write { transaction in
      let account = try #require(try transaction.account(storedAs: Self.people[29].identity))
      _ = try transaction.replace(account, with: account.record, credentials: [])
    }
    try attack(
      """
      DELETE FROM account WHERE tag = (SELECT tag FROM copy.account WHERE id = 30);
      INSERT OR REPLACE INTO account SELECT * FROM copy.account WHERE id = 30;
      INSERT OR REPLACE INTO account_key SELECT * FROM copy.account_key WHERE id = 30;
      INSERT OR REPLACE INTO record SELECT * FROM copy.record WHERE account = 30
      """)
    #expect(try token(of: 30) == nil)
    #expect(try missingInList() == ["id-30"])
  }

  @Test func aWriteDoesNotMakeAnOlderRowAuthentic() throws {
    try putBack(2)
    #expect(throws: StoreError.damaged(rows: 1)) { try renewToken(of: 2, to: "newest") }
    try renewToken(of: 1, to: "newest")
    #expect(try token(of: 1) == "newest")
    #expect(try token(of: 2) == nil)
    #expect(try missingInList() == ["id-2"])
  }

  // MARK: Nodes of the tree of digests

  /// The nodes in the rows -1, -2 and -3 have the digests of rows 1 to 63, 64 to 127, and the rest.
  @Test(arguments: [
    "DELETE FROM meta WHERE id = -2",
    "UPDATE meta SET value = x'' WHERE id = -2",
    "UPDATE meta SET value = (SELECT value FROM copy.meta WHERE id = -2) WHERE id = -2",
    "UPDATE meta SET value = (SELECT value FROM copy.meta WHERE id = -1) WHERE id = -2",
    "UPDATE meta SET value = substr(value, 1, 500) || zeroblob(16) || substr(value, 517) WHERE id = -2",
    "UPDATE meta SET value = value || zeroblob(16) WHERE id = -2",
    "UPDATE meta SET value = zeroblob(100000) WHERE id = -2",
  ])
  func aNodeThatIsNotThePresentOneAuthenticatesNothing(attack: String) throws {
    try self.attack(attack)
    try putBack(70)
    #expect(try token(of: 70) == nil)
    #expect(try token(of: 100) == nil)
    #expect(try token(of: 1) == "newer")
    #expect(try token(of: 130) == "newer")
    #expect(try missingInList() == Set((64...127).map { "id-\($0)" }))
    // The accounts of the other nodes can be changed and signed out.
    try renewToken(of: 1, to: "newest")
    #expect(throws: StoreError.damaged(rows: nil)) { try renewToken(of: 70) }
    try group.write { transaction in
      let last = try #require(try transaction.account(storedAs: Self.people[129].identity))
      _ = try transaction.rotate(
        to: GenerationKey(SecretBytes.random(count: 32)), erasing: [last], boot: "boot",
        deletesOldKey: false)
    }
    #expect(try group.read { try $0.verify().damagedAccounts } == 64)
  }

  @Test(arguments: ["DELETE FROM meta WHERE id < 0", "UPDATE meta SET value = x'' WHERE id < 0"])
  func withoutItsNodesAGroupReturnsNothing(attack: String) throws {
    try self.attack(attack)
    for number in [1, 2, 70, 130] { #expect(try token(of: number) == nil) }
    #expect(try missingInList().count == 130)
  }

  @Test func aNodeThatBelongsToNoAccountIsReported() throws {
    #expect(try group.read { try $0.verify() }.isSound)
    try attack("INSERT INTO meta SELECT -4, value FROM meta WHERE id = -3")
    #expect(try group.read { try $0.verify() }.strayRows == 1)
  }

  @Test func aRenewalRefusesANodeThatIsNotThePresentOne() throws {
    try attack("DELETE FROM meta WHERE id = -2")
    #expect(throws: StoreError.damaged(rows: nil)) {
      try group.write { transaction in
        _ = try transaction.rotate(
          to: GenerationKey(SecretBytes.random(count: 32)), erasing: [], boot: "boot",
          deletesOldKey: false)
        _ = try transaction.renew()
      }
    }
    #expect(try token(of: 1) == "newer")
  }

  /// The limit of the protection: the state is the root. With an older state and older nodes, the
  /// accounts are those of that time. An account that changed since is damaged, or put back, too.
  @Test func anOlderStateAcceptsOnlyRowsOfItsTime() throws {
    try attack(
      "UPDATE meta SET value = (SELECT value FROM copy.meta c WHERE c.id = meta.id)"
        + " WHERE id = 3 OR id < 0")
    #expect(try missingInList() == ["id-1", "id-2", "id-70", "id-130"])
    for number in [1, 2, 70, 130] { #expect(try token(of: number) == nil) }
    try putBack(70)
    #expect(try token(of: 70) == SampleGroup.secret(.accessToken, of: Self.people[69]))
    #expect(try missingInList() == ["id-1", "id-2", "id-130"])
  }
}
