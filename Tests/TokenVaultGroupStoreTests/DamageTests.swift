import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// A damaged file gives either the right answer or an error that reports damage.
@Suite(.timeLimit(.minutes(10))) struct DamageTests {
  /// The bytes and the key of an intact group file. The file was closed, so there is no log beside
  /// it.
  static func sound() throws -> (image: [UInt8], key: [UInt8]) {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("small.vault")) { transaction in
      // With these row numbers, there are nodes outside the state.
      transaction.startRows(at: 63)
      let alice = try SampleGroup.add(SampleGroup.alice, to: transaction, kinds: [.accessToken])
      try SampleGroup.add(SampleGroup.bob, to: transaction, kinds: [])
      try SampleGroup.add(SampleGroup.carol, to: transaction, kinds: [])
      transaction.state.current = alice.tag
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["small.vault"])
    return (try contents(group.path), group.secret)
  }

  private static let parts = 16
  /// One file for all parts.
  private static let flipped = Result { try sound() }

  /// In parts, so that the time limit applies to each of them.
  @Test(.serialized, arguments: 0..<parts)
  func everyFlippedBitGivesTheRightAnswerOrDamage(part: Int) async throws {
    let (image, key) = try Self.flipped.get()
    let bytes = Self.slice(part, of: Self.parts, in: 0..<image.count)
    let workers = max(2, ProcessInfo.processInfo.activeProcessorCount)
    let (findings, checked) = try await withThrowingTaskGroup { group in
      for worker in 0..<workers {
        let own = Self.slice(worker, of: workers, in: bytes)
        group.addTask {
          try await Self.onOwnThread { try Self.flipAll(of: image, key: key, in: own) }
        }
      }
      return try await group.reduce(([String](), 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(checked == bytes.count * 8)
    #expect(findings.isEmpty, "\(findings.count): \(findings.prefix(20).joined(separator: "\n"))")
  }

  /// Runs `body` on a thread of its own. On the threads of the concurrency runtime it would keep all
  /// other tests waiting.
  private static func onOwnThread<Result: Sendable>(
    _ body: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Swift.Result(catching: body)) }
    }
  }

  /// One of `count` adjacent slices, which together make up the range.
  private static func slice(_ index: Int, of count: Int, in range: Range<Int>) -> Range<Int> {
    let start = range.lowerBound + range.count * index / count
    return start..<(range.lowerBound + range.count * (index + 1) / count)
  }

  private static func flipAll(
    of image: [UInt8], key: [UInt8], in part: Range<Int>
  ) throws -> ([String], Int) {
    let group = try DamagedGroup(image, key: key)
    group.examine("the sound file")
    #expect(group.unreadable == 0, "the sound file must answer everything")
    var checked = 0
    for offset in part {
      for bit in 0..<8 {
        try group.flip(offset, bit)
        group.examine("bit \(bit) of byte \(offset)")
        checked += 1
      }
    }
    return (group.findings, checked)
  }

  @Test func burstsTruncationsAndLostPagesGiveTheRightAnswerOrDamage() throws {
    let (image, key) = try Self.sound()
    let group = try DamagedGroup(image, key: key)
    var random = SeededGenerator(seed: 2)
    for round in 0..<1500 {
      var damaged = image
      let offset = Int.random(in: 0..<image.count, using: &random)
      switch round % 5 {
      case 0: damaged.removeLast(image.count - offset)
      case 1: damaged.removeLast(image.count - offset / 4096 * 4096)
      case 2:
        let page = offset / 4096 * 4096
        damaged.replaceSubrange(page..<(page + 4096), with: [UInt8](repeating: 0, count: 4096))
      case 3:
        let count = min(Int.random(in: 2...600, using: &random), image.count - offset)
        for index in offset..<(offset + count) {
          damaged[index] = UInt8.random(in: 0...255, using: &random)
        }
      default:
        let page = offset / 4096 * 4096
        let other = Int.random(in: 0..<(image.count / 4096), using: &random) * 4096
        damaged.replaceSubrange(page..<(page + 4096), with: image[other..<(other + 4096)])
      }
      try group.replace(with: damaged)
      group.examine("round \(round) at \(offset)")
    }
    #expect(group.findings.isEmpty, "\(group.findings.prefix(20).joined(separator: "\n"))")
  }

  @Test func anOlderVersionOfARowIsDamage() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.carol, to: transaction)
    }
    // An older version of a row is sealed under the right key, so only its digest detects it.
    let opened = try group.open()
    let rows = try records(opened)
    try opened.write { transaction in
      var account = try #require(
        try transaction.accounts(named: CaseFolding.fold("work")).first)
      account.record.alias = "changed"
      try transaction.update(&account)
    }
    #expect(try records(opened) != rows)
    try opened.database.execute(
      "UPDATE account SET sheet = x'\(Hexadecimal.encode(rows[0]))' WHERE id = 1")
    try opened.read { transaction in
      var left: [String] = []
      let damaged = try transaction.forEachAccount { left.append($0.record.homeAccountID) }
      #expect(damaged == 1)
      #expect(left == [SampleGroup.carol.homeAccountID])
      #expect(throws: StoreError.damaged(rows: 1)) {
        try transaction.account(storedAs: SampleGroup.alice.identity)
      }
    }
  }

  @Test func aRemovedAccountRowIsDamage() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.carol, to: transaction)
    }
    let opened = try group.open()
    try opened.database.execute("DELETE FROM account WHERE id = 2")
    let damaged = try opened.read { try $0.forEachAccount { _ in } }
    #expect(damaged == 1)
    #expect(throws: StoreError.damaged(rows: 1)) {
      try opened.read {
        try $0.accounts(named: CaseFolding.fold(SampleGroup.carol.username))
      }
    }
  }

  @Test func damageInOneAccountIsCountedAndLeavesTheOthersReadable() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      for record in [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol] {
        try SampleGroup.add(record, to: transaction)
      }
    }
    let opened = try group.open()
    try opened.database.execute("UPDATE account_key SET wrapped = zeroblob(60) WHERE id = 2")
    try opened.read { transaction in
      var left: [String] = []
      let damaged = try transaction.forEachAccount { left.append($0.record.homeAccountID) }
      #expect(damaged == 1)
      #expect(left == [SampleGroup.alice.homeAccountID, SampleGroup.carol.homeAccountID])
      #expect(try transaction.verify().damagedAccounts == 1)
    }
    // A rotation keeps and reports an account that it cannot read.
    let alice = try opened.read {
      try $0.accounts(named: CaseFolding.fold(SampleGroup.alice.username))
    }
    let report = try opened.write {
      try $0.rotate(
        to: GenerationKey(SecretBytes.random(count: 32)), erasing: alice, boot: "boot",
        deletesOldKey: false)
    }
    #expect(report == .init(erased: 1, unreadable: 1))
    #expect(try records(opened).count == 2)
  }

  /// A rotation wraps the keys of so many accounts on two threads. A value of another size than it must
  /// have shifts none of the others.
  @Test func aRotationOfManyAccountsKeepsEachKeyWithItsAccount() throws {
    let scratch = try Scratch()
    let names = (0..<1_100).map { "user\($0)@contoso.example" }
    var group = try FreshGroup(scratch("a.vault")) { transaction in
      for name in names {
        try SampleGroup.add(SampleGroup.record("\(name).contoso-tid", name), to: transaction)
      }
    }
    for attack in [
      "UPDATE account_key SET wrapped = zeroblob(60) WHERE id IN (3, 400, 700, 1099)",
      "UPDATE account_key SET wrapped = zeroblob(59) WHERE id = 5",
      "UPDATE account_key SET wrapped = x'' WHERE id = 8",
      "UPDATE account_key SET key_id = zeroblob(17) WHERE id = 6",
      "UPDATE account SET tag = zeroblob(31) WHERE id = 7",
    ] { try group.open().database.execute(attack) }
    let next = try RandomBytes.make(32)
    let opened = try group.open()
    let report = try opened.write {
      try $0.rotate(
        to: key(next, of: opened.header), erasing: [], boot: "boot", deletesOldKey: false)
    }
    #expect(report == .init(erased: 0, unreadable: 8))
    group.secret = next
    try group.open().read { transaction in
      var left: [String] = []
      let unreadable = try transaction.forEachAccount { left.append($0.record.homeAccountID) }
      #expect(unreadable == 8)
      let damaged = [2, 4, 5, 6, 7, 399, 699, 1_098].map { names[$0] }
      #expect(
        Set(left) == Set(names.filter { !damaged.contains($0) }.map { "\($0).contoso-tid" }))
    }
  }

  @Test func aListingInsideAListingTerminates() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      for record in [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol] {
        try SampleGroup.add(record, to: transaction)
      }
    }
    var seen = 0
    try group.open().read { transaction in
      _ = try transaction.forEachAccount { _ throws(StoreError) in
        // The lookup of an unknown name reads all accounts.
        let found = try transaction.accounts(named: CaseFolding.fold("nobody"))
        #expect(found.isEmpty)
        seen += 1
        guard seen < 10 else { throw StoreError.busy }
      }
    }
    #expect(seen == 3)
  }

  @Test func aDamagedNameOrExtrasRowDoesNotPreventASignOut() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try transaction.setExtras([1, 2, 3])
    }
    let opened = try group.open()
    let alice = try opened.read { try $0.accounts(named: CaseFolding.fold("work")) }
    try opened.database.execute(
      "UPDATE name SET sealed = zeroblob(284); UPDATE meta SET value = zeroblob(284) WHERE id = 6")
    let report = try opened.write {
      try $0.rotate(
        to: GenerationKey(SecretBytes.random(count: 32)), erasing: alice, boot: "boot",
        deletesOldKey: false)
    }
    #expect(report.erased == 1)
    #expect(try records(opened).isEmpty)
    #expect(throws: StoreError.damaged(rows: 1)) { try opened.read { try $0.extras() } }
  }

  private func records(_ group: UnlockedGroup) throws -> [[UInt8]] {
    let query = try group.database.statement("SELECT sheet FROM account ORDER BY id")
    var found: [[UInt8]] = []
    while try query.step() { found.append(query.bytes(0)) }
    return found
  }
}
