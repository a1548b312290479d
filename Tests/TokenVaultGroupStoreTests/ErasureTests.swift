import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(10))) struct ErasureTests {
  /// Every sealed value of an account in the file.
  private func sealedRows(of name: String, in group: UnlockedGroup) throws -> [[UInt8]] {
    let row = try group.read {
      try #require(try $0.accounts(named: CaseFolding.fold(name)).first).row
    }
    var found: [[UInt8]] = []
    for sql in [
      "SELECT sheet FROM account WHERE id = ?", "SELECT sealed FROM record WHERE account = ?",
      "SELECT wrapped FROM account_key WHERE id = ?", "SELECT key_id FROM account_key WHERE id = ?",
    ] {
      let query = try group.database.statement(sql)
      try query.bind(1, row)
      while try query.step() { found.append(query.bytes(0)) }
    }
    return try group.read {
      found + [Array(try $0.rowDigest(try #require(try $0.account(after: row - 1))).prefix(16))]
    }
  }

  private func files(_ path: String) throws -> [Data] {
    try [path, path + "-wal", path + "-shm"].filter(FileManager.default.fileExists(atPath:))
      .map { Data(try contents($0)) }
  }

  @Test func noFileContainsBytesOfAnErasedAccount() throws {
    let scratch = try Scratch()
    var random = SeededGenerator(seed: 3)
    for round in 0..<12 {
      let path = scratch("\(round).vault")
      let people = (0..<40).map { index in
        let noise = String(repeating: "x", count: Int.random(in: 0...1500, using: &random))
        return SampleGroup.record("id-\(index)-\(noise)", "person\(index)@contoso.example")
      }
      var group = try FreshGroup(path) { transaction in
        // In every second round, the digests of rows are in nodes outside the state.
        if round % 2 == 1 { transaction.startRows(at: 50) }
        for record in people { try SampleGroup.add(record, to: transaction) }
      }
      var rows: Set<[UInt8]> = []
      let leaving = people.shuffled(using: &random).prefix(5).map(\.username)
      let before = try group.open()
      for _ in 0..<4 {
        for name in leaving {
          rows.formUnion(try sealedRows(of: name, in: before))
          // Every version of a row must be erased, not only the last one.
          try before.write { transaction in
            var account = try #require(
              try transaction.accounts(named: CaseFolding.fold(name)).first)
            var credential = SampleGroup.credential(.refreshToken, for: account.record)
            credential.familyID = Bool.random(using: &random) ? "1" : ""
            let secret = [UInt8](repeating: 9, count: Int.random(in: 1...5000, using: &random))
            try transaction.store(
              credential, CredentialPayload(secret: Redacted(secret)), in: &account)
            try transaction.update(&account)
          }
        }
      }
      for name in leaving { rows.formUnion(try sealedRows(of: name, in: before)) }
      // The search finds bytes that are present; otherwise the checks below would prove nothing.
      for name in leaving {
        let present = Data(try sealedRows(of: name, in: before)[0].prefix(16))
        #expect(try files(path).contains { $0.range(of: present) != nil })
        if round % 2 == 1 {
          let digest = Data(try #require(try sealedRows(of: name, in: before).last))
          #expect(try files(path).contains { $0.range(of: digest) != nil })
        }
      }
      let after = try group.signOut(Array(leaving), boot: "boot")
      let left = try files(path)
      // SQLite splits a sealed row that spans pages, so this searches for pieces of it.
      for row in rows {
        for start in stride(from: 0, to: row.count - 15, by: 64) {
          let piece = Data(row[start..<(start + 16)])
          #expect(left.allSatisfy { $0.range(of: piece) == nil }, "round \(round)")
        }
      }
      #expect(try after.read { try $0.verify() }.isSound)
    }
  }

  @Test func noRemainingKeyOpensACopyFromBeforeASignOut() throws {
    let scratch = try Scratch()
    let slotKey = [UInt8](repeating: 5, count: 32)
    var group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.carol, to: transaction)
      try transaction.setSlot(
        .recovery, under: SecretBytes(copying: slotKey),
        parameters: .init(salt: [UInt8](repeating: 1, count: 32)))
      transaction.state.principals["client"] = GroupState.Principal(account: nil)
    }
    let oldSecret = group.secret
    let copy = try contents(scratch("a.vault"))
    try write(copy, to: scratch("copy.vault"))
    let after = try group.signOut([SampleGroup.alice.username], boot: "boot")

    // The new key.
    #expect(throws: StoreError.wrongKey) { _ = try unlock(scratch("copy.vault"), group.secret) }
    // The keys in the current file: the lookup key and the keys derived from it, the keys of the
    // remaining accounts, and the slot's key.
    let locked = try LockedGroup(path: scratch("copy.vault"))
    let state = try #require(try locked.database.meta(Format.Meta.state.rawValue))
    let slot = try #require(try locked.slot(.recovery))
    let carolsRows = try after.read { transaction in
      let carol = try #require(
        try transaction.accounts(named: CaseFolding.fold(SampleGroup.carol.username)).first)
      for key in [transaction.keys.wrap, transaction.keys.rows, carol.key] {
        #expect(throws: StoreError.damaged(rows: 1)) {
          try key.openRow(state, locked.header.associatedData(.state))
        }
      }
      guard let moved = try transaction.rotationKeys().key(.slot, 5) else {
        throw StoreError.damaged(rows: nil)
      }
      #expect(throws: StoreError.wrongKey) {
        _ = try locked.open(slot, at: .recovery, with: moved)
      }
      return carol.tag
    }
    #expect(carolsRows.count == 32)
    // The documented limit: the recovery code of that time still opens a copy from that time.
    let fromCode = try locked.open(slot, at: .recovery, with: SecretBytes(copying: slotKey))
    let isOld = fromCode.isEqual(to: try key(oldSecret, of: locked.header).key)
    #expect(isOld)
    // The recovery code also opens the current file.
    let present = try LockedGroup(path: scratch("a.vault"))
    let presentSlot = try #require(try present.slot(.recovery))
    let presentKey = try present.open(
      presentSlot, at: .recovery, with: SecretBytes(copying: slotKey))
    let isPresent = presentKey.isEqual(to: try key(group.secret, of: present.header).key)
    #expect(isPresent)
  }

  @Test func aRestoredOldFileDoesNotOpenWithTheNewKey() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
    }
    let copy = try contents(scratch("a.vault"))
    try group.signOut([SampleGroup.alice.username])
    try GroupCreation.remove(scratch("a.vault"))
    try write(copy, to: scratch("a.vault"))
    #expect(throws: StoreError.wrongKey) { _ = try group.open() }
  }

  @Test func aWrappedSuccessorKeyOpensNothingThatWasErased() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.carol, to: transaction)
    }
    let oldSecret = group.secret
    try group.signOut([SampleGroup.alice.username], boot: "first boot")
    // Only the old key is left, as after a power cut that removed the new one from the keyring.
    let locked = try LockedGroup(path: scratch("a.vault"))
    #expect(try locked.generationsWithWrappedSuccessorKey() == [1])
    let part = try locked.unwrapKeyringPart(
      from: 1, with: SecretBytes(copying: oldSecret),
      device: SecretBytes(copying: device(group.secret)))
    let isPresent = part.isEqual(to: try SecretBytes(copying: group.secret))
    #expect(isPresent)
    let opened = try group.open()
    let (gone, stays) = try opened.read { transaction in
      (
        try transaction.accounts(named: CaseFolding.fold(SampleGroup.alice.username)).count,
        try transaction.accounts(named: CaseFolding.fold(SampleGroup.carol.username)).count
      )
    }
    #expect((gone, stays) == (0, 1))
    // A later boot removes the wrapped successor key.
    try opened.write { transaction in
      #expect(!transaction.hasDueDeletionChecks(boot: "first boot"))
      #expect(transaction.hasDueDeletionChecks(boot: "second boot"))
      try transaction.completeDueDeletionChecks(boot: "second boot", deleted: nil)
      #expect(transaction.state.pendingDeletions == [1])
      transaction.confirmDeletion(of: [1])
    }
    let later = try LockedGroup(path: scratch("a.vault"))
    #expect(try later.generationsWithWrappedSuccessorKey().isEmpty)
    #expect(throws: StoreError.damaged(rows: nil)) {
      _ = try later.unwrapKeyringPart(
        from: 1, with: SecretBytes(copying: oldSecret),
        device: SecretBytes(copying: device(group.secret)))
    }
    #expect(try group.open().read { $0.state.pendingDeletions }.isEmpty)
  }

  @Test(arguments: [false, true]) func aWriteThatBeganBeforeASignOutNeverBringsTheAccountBack(
    returns: Bool
  ) throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.carol, to: transaction)
      try SampleGroup.add(SampleGroup.alice, to: transaction)
    }
    var stale = try #require(
      try group.open().read { try $0.accounts(named: CaseFolding.fold("work")) }.first)
    let after = try group.signOut([SampleGroup.alice.username])
    if returns {
      // The row number is reused by the same account under another key.
      try after.write { transaction in
        let again = try SampleGroup.add(SampleGroup.alice, to: transaction)
        #expect(again.row == stale.row)
        #expect(again.tag == stale.tag)
      }
    }
    let rows = try files(scratch("a.vault"))
    let credential = SampleGroup.credential(.refreshToken, for: stale.record)
    #expect(throws: StoreError.accountGone) {
      try after.write {
        try $0.store(credential, CredentialPayload(secret: Redacted([1])), in: &stale)
        try $0.update(&stale)
      }
    }
    stale.record.alias = "renamed"
    #expect(throws: StoreError.accountGone) { try after.write { try $0.update(&stale) } }
    #expect(throws: StoreError.accountGone) {
      try after.write { try $0.removeCredentials(of: &stale) { _ in true } }
    }
    #expect(throws: StoreError.accountGone) {
      try after.write {
        try $0.rotate(
          to: GenerationKey(SecretBytes.random(count: 32)), erasing: [stale], boot: "boot",
          deletesOldKey: false)
      }
    }
    #expect(try files(scratch("a.vault"))[0] == rows[0])
    let report = try group.open().read { try $0.verify() }
    #expect(report.isSound)
    #expect(report.accounts == (returns ? 2 : 1))
  }

  @Test func anotherAccountInTheSameRowIsNotErasedByAStaleRead() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
    }
    let stale = try group.open().read { try $0.accounts(named: CaseFolding.fold("work")) }
    let after = try group.signOut([SampleGroup.alice.username])
    try after.write { transaction in
      let bob = try SampleGroup.add(SampleGroup.bob, to: transaction)
      #expect(bob.row == stale[0].row)
    }
    #expect(throws: StoreError.accountGone) {
      try after.write {
        try $0.rotate(
          to: GenerationKey(SecretBytes.random(count: 32)), erasing: stale, boot: "boot",
          deletesOldKey: false)
      }
    }
    #expect(try after.read { try $0.verify() }.accounts == 1)
  }

  @Test func aWriteBasedOnAStaleReadIsRefused() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
    }
    let first = try group.open()
    let second = try group.open()
    var stale = try #require(
      try first.read { try $0.accounts(named: CaseFolding.fold("work")) }.first)
    try second.write { transaction in
      var account = try #require(try transaction.account(tag: stale.tag))
      account.record.alias = "theirs"
      try transaction.update(&account)
    }
    stale.record.alias = "ours"
    #expect(throws: StoreError.accountGone) { try first.write { try $0.update(&stale) } }
    #expect(try first.read { try $0.verify() }.isSound)
    #expect(try first.read { try $0.accounts(named: CaseFolding.fold("theirs")) }.count == 1)
  }

  @Test func anAccountInsertedAfterTheRotationInItsTransactionRemains() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
      try $0.setExtras([1, 2, 3])
    }
    let next = try RandomBytes.make(32)
    let opened = try group.open()
    try opened.write { transaction in
      let alice = try transaction.accounts(named: CaseFolding.fold("work"))
      _ = try transaction.rotate(
        to: GenerationKey(SecretBytes(copying: next)), erasing: alice, boot: "boot",
        deletesOldKey: false)
      try transaction.setCustody(.keyFile)
      try SampleGroup.add(SampleGroup.bob, to: transaction)
    }
    group.secret = next
    let again = try group.open()
    #expect(again.header.custody == .keyFile)
    #expect(try again.read { try $0.verify() } == opened.read { try $0.verify() })
    let report = try again.read { try $0.verify() }
    #expect(report.isSound && report.accounts == 1)
    #expect(try again.read { try $0.extras() } == [1, 2, 3])
  }

  @Test func anOpenGroupDetectsARotationByAnotherProcess() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) {
      try SampleGroup.add(SampleGroup.alice, to: $0)
    }
    let reader = try group.open()
    let late = try LockedGroup(path: scratch("a.vault"))
    let oldSecret = group.secret
    try group.signOut([SampleGroup.alice.username])
    #expect(throws: StoreError.generationChanged) { try reader.read { _ in } }
    #expect(throws: StoreError.generationChanged) { try reader.write { _ in } }
    // The header was read before the rotation, when this key was the right one.
    do {
      let old = try key(oldSecret, of: late.header)
      _ = try late.unlock(old.key.clone())
      Issue.record("opened with an erased key")
    } catch { #expect(error as? StoreError == .generationChanged) }
  }

  @Test func theStateKeepsNothingOfAnErasedAccount() throws {
    let scratch = try Scratch()
    var group = try FreshGroup(scratch("a.vault")) { transaction in
      let alice = try SampleGroup.add(SampleGroup.alice, to: transaction)
      let carol = try SampleGroup.add(SampleGroup.carol, to: transaction)
      transaction.state.current = alice.tag
      transaction.state.principals = [
        "first": .init(account: alice.tag), "second": .init(account: carol.tag),
        // As programs left it that kept the tags of erased accounts.
        "third": .init(account: [UInt8](repeating: 9, count: 32)),
      ]
    }
    let (alice, carol) = try group.open().read { transaction in
      let principals = transaction.state.principals
      return (try #require(principals["first"]?.account), principals["second"])
    }
    let state = try group.signOut([SampleGroup.alice.username]).read { $0.state }
    #expect(Data(state.encoded()).range(of: Data(alice)) == nil)
    #expect(state.current == nil)
    let erased = GroupState.Principal(account: nil)
    #expect(state.principals == ["first": erased, "second": carol, "third": erased])
  }

  @Test func theNameInAnOlderStateIsDropped() throws {
    var writer = ByteWriter()
    for number: UInt64 in [1, 0, 0] { writer.number(number) }
    writer.list([UInt64](repeating: 0, count: 4)) { $0.number($1) }
    writer.data([])
    writer.list(["client"]) { writer, client in
      writer.text(client)
      writer.data([UInt8](repeating: 9, count: 32))
      writer.list([0]) { writer, _ in
        for text in ["id", "id.example", "gone@id.example"] { writer.text(text) }
      }
    }
    for _ in 0..<3 { writer.list([UInt64]()) { $0.number($1) } }
    let state = try GroupState(encoded: writer.bytes)
    #expect(state.principals == ["client": .init(account: [UInt8](repeating: 9, count: 32))])
    #expect(Data(state.encoded()).range(of: Data("gone".utf8)) == nil)
  }
}
