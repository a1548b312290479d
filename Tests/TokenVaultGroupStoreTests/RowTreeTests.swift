import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// After any sequence of changes, the tree of digests is the one that a program would make from the
/// rows alone.
@Suite(.timeLimit(.minutes(5))) struct RowTreeTests {
  private var random = SeededGenerator(seed: 7)

  private func nodes(_ database: Database) throws -> [Int64: [UInt8]] {
    let query = try database.statement("SELECT id, value FROM meta WHERE id < 0")
    var found: [Int64: [UInt8]] = [:]
    while try query.step() { found[query.int64(0)] = query.bytes(1) }
    return found
  }

  /// Compares the tree in the file with one that is made of these digests.
  private func expect(
    _ root: RowTree.Root, _ digests: [Int64: [UInt8]], in database: Database, _ key: TagKey
  ) throws {
    let stored = try nodes(database)
    var read = RowTree(root, in: database, key: key)
    for (row, digest) in digests { #expect(try read.digest(ofRow: row) == digest) }
    let census = try read.census()
    #expect(census.rows == Set(digests.keys) && census.nodes == stored.count)
    try database.execute("BEGIN")
    var rebuilt = RowTree(replacing: database, key: key)
    for (row, digest) in digests.shuffled() { try rebuilt.set(digest, ofRow: row) }
    try rebuilt.write()
    #expect(rebuilt.root == root)
    #expect(try nodes(database) == stored)
    try database.execute("ROLLBACK")
  }

  @Test(arguments: [3, 60, 64, 200, 5000, 300_000, 1 << 34])
  mutating func theTreeDependsOnlyOnItsDigests(largest: Int64) throws {
    let scratch = try Scratch()
    let database = try FreshGroup(scratch("a.vault")).open().database
    let key = try TagKey(SecretBytes.random(count: 32))
    var tree = RowTree(RowTree.Root(), in: database, key: key)
    var digests: [Int64: [UInt8]] = [:]
    for round in 0..<30 {
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let isRemoval = !digests.isEmpty && Int.random(in: 0..<30, using: &random) < round
        let row =
          isRemoval
          ? try #require(digests.keys.sorted().randomElement(using: &random))
          : Int64.random(in: 1...largest, using: &random)
        digests[row] = isRemoval ? nil : try RandomBytes.make(16)
        try tree.set(digests[row], ofRow: row)
        #expect(try tree.digest(ofRow: row) == digests[row])
        #expect(tree.root.last >= digests.keys.max() ?? 0)
      }
      try tree.write()
      try expect(tree.root, digests, in: database, key)
      // Half of the time the next changes begin with a tree of which nothing is in memory.
      if round % 2 == 0 { tree = RowTree(tree.root, in: database, key: key) }
    }
    for row in digests.keys { try tree.set(nil, ofRow: row) }
    try tree.write()
    #expect(try tree.root == RowTree.Root() && nodes(database).isEmpty)
  }

  /// Otherwise the numbers would count the changes, and the tree would grow with them.
  @Test func anAccountThatIsStoredAnewKeepsItsRowNumber() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      for record in [SampleGroup.alice, SampleGroup.bob] {
        try SampleGroup.add(record, to: transaction)
      }
    }.open()
    for _ in 0..<3 {
      try group.write { transaction in
        let bob = try #require(try transaction.account(storedAs: SampleGroup.bob.identity))
        let fresh = try transaction.replace(bob, with: bob.record, credentials: [])
        #expect(bob.row == 2 && fresh.row == 2)
      }
    }
  }

  @Test func rowNumbersBeyondTheTreeAreDamage() throws {
    let scratch = try Scratch()
    let database = try FreshGroup(scratch("a.vault")).open().database
    var tree = RowTree(replacing: database, key: try TagKey(SecretBytes.random(count: 32)))
    let digest = try RandomBytes.make(16)
    for row in [Int64.min, -1, 0, 1 << 36, Int64.max] {
      #expect(try tree.digest(ofRow: row) == nil)
      #expect(throws: StoreError.damaged(rows: nil)) { try tree.set(digest, ofRow: row) }
    }
    try tree.set(digest, ofRow: 1 << 36 - 1)
    try tree.write()
    #expect(try tree.root.level == RowTree.highestLevel && nodes(database).count == 5)
  }

  @Test func aNodeHasOneEncoding() throws {
    var node = DigestNode()
    let digest = try RandomBytes.make(16)
    node[63] = digest
    #expect(try node.bytes.count == 1024 && DigestNode(node.bytes) == node)
    node[5] = digest
    node[63] = nil
    #expect(node.bytes == [UInt8](repeating: 0, count: 80) + digest)
    for wrong in [
      node.bytes + [UInt8](repeating: 0, count: 16), Array(node.bytes.dropLast()),
      [UInt8](repeating: 1, count: 1040),
    ] { #expect(throws: StoreError.damaged(rows: nil)) { try DigestNode(wrong) } }
    node[5] = nil
    #expect(node.isEmpty && node == DigestNode())
  }

  // MARK: Transactions

  private func expectSound(_ group: UnlockedGroup) throws {
    let (root, digests) = try group.read { transaction in
      var digests: [Int64: [UInt8]] = [:]
      var last: Int64 = 0
      while let row = try transaction.account(after: last) {
        last = row.id
        digests[row.id] = Array(try transaction.rowDigest(row).prefix(16))
      }
      #expect(try transaction.verify().isSound)
      return (transaction.state.root, digests)
    }
    try expect(root, digests, in: group.database, group.keys.tags)
  }

  @Test mutating func everySequenceOfChangesKeepsTheTree() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")).open()
    var present: [AccountRecord] = []
    var number = 0
    for _ in 0..<150 {
      let change = Int.random(in: 0..<12, using: &random)
      let chosen = present.shuffled(using: &random).prefix(3)
      var records = (0..<(change == 0 ? 70 : 4)).map { offset in
        SampleGroup.record("id-\(number + offset)", "person\(number + offset)@contoso.example")
      }
      if change > 3 { records = [] }
      number += records.count
      do {
        try group.write { transaction in
          for record in records { try SampleGroup.add(record, to: transaction) }
          let accounts = try chosen.map {
            try #require(try transaction.account(storedAs: $0.identity))
          }
          switch change {
          case 4, 5, 6:
            for var account in accounts {
              account.record.alias = "alias \(Int.random(in: 0..<9, using: &random))"
              try transaction.update(&account)
            }
          case 7:
            for account in accounts {
              _ = try transaction.replace(account, with: account.record, credentials: [])
            }
          case 8, 9, 10:
            try rotate(transaction, erasing: change == 10 ? all(in: transaction) : accounts)
          case 11:
            try rotate(transaction, erasing: accounts)
            let renewed = try transaction.renew()
            #expect(renewed.unreadable == 0 && renewed.tags.count == present.count - accounts.count)
          case 3: throw StoreError.busy
          default: break
          }
        }
        present += records
        let leaving = change == 10 ? present : change >= 8 ? Array(chosen) : []
        present.removeAll { one in leaving.contains { $0.identity == one.identity } }
      } catch StoreError.busy {}
      try expectSound(group)
      #expect(try group.read { $0.state.accountCount } == UInt64(present.count))
    }
  }

  private func rotate(_ transaction: GroupTransaction, erasing accounts: [StoredAccount]) throws {
    let key = try GenerationKey(for: .keyFile, of: transaction.header.groupID)
    _ = try transaction.rotate(to: key, erasing: accounts, boot: "boot", deletesOldKey: false)
  }

  private func all(in transaction: GroupTransaction) throws -> [StoredAccount] {
    var accounts: [StoredAccount] = []
    let damaged = try transaction.forEachAccount { accounts.append($0) }
    #expect(damaged == 0)
    return accounts
  }

  // MARK: The first format

  private func firstFormat(_ scratch: Scratch) throws -> UnlockedGroup {
    let keys = try SampleGroup.Keys.fixture()
    try write(
      contents(SampleGroup.fixtures.appending(path: "v1-group.vault").path),
      to: scratch("v1.vault"))
    return try unlock(scratch("v1.vault"), bytes(hex: keys.secondGeneration))
  }

  @Test func anUpgradeReplacesTheRowSumByATree() throws {
    let scratch = try Scratch()
    let group = try firstFormat(scratch)
    try group.write { transaction in
      try SampleGroup.add(SampleGroup.dave, to: transaction)
      #expect(transaction.tree == nil && transaction.state.rows != RowSum())
    }
    #expect(try group.read { try $0.verify() }.isSound && group.header.version == 1)
    try group.write { transaction in
      let bob = try #require(try transaction.account(storedAs: SampleGroup.bob.identity))
      try rotate(transaction, erasing: [bob])
      try SampleGroup.add(SampleGroup.bob, to: transaction)
    }
    #expect(group.header.version == 2)
    #expect(try group.read { $0.state.rows } == RowSum())
    try expectSound(group)
  }

  @Test func anUpgradeDoesNotMakeAnOlderRowAuthentic() throws {
    let scratch = try Scratch()
    let group = try firstFormat(scratch)
    let old = try group.read { transaction in
      let carol = try #require(try transaction.account(storedAs: SampleGroup.carol.identity))
      return try #require(try transaction.account(after: carol.row - 1))
    }
    try group.write { transaction in
      var carol = try #require(try transaction.account(storedAs: SampleGroup.carol.identity))
      carol.record.alias = "later"
      try transaction.update(&carol)
    }
    let change = try group.database.statement("UPDATE account SET sheet = ? WHERE id = ?")
    try change.bind(1, old.record)
    try change.bind(2, old.id)
    try change.run()
    #expect(throws: StoreError.damaged(rows: nil)) {
      try group.write { try rotate($0, erasing: []) }
    }
    #expect(group.header.version == 1)
  }
}
