import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// What a damaged file may do: answer rightly, or say that it is damaged.
@Suite struct DamageTests {
  /// The bytes of a group file that was closed, so that no log stands beside it, and its key.
  static func sound() throws -> (image: [UInt8], key: [UInt8]) {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("small.vault")) { transaction in
      let alice = try SampleGroup.add(SampleGroup.alice, to: transaction, kinds: [.accessToken])
      try SampleGroup.add(SampleGroup.bob, to: transaction, kinds: [])
      try SampleGroup.add(SampleGroup.carol, to: transaction, kinds: [])
      transaction.state.current = alice.tag
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["small.vault"])
    return (try contents(group.path), group.key)
  }

  @Test func everyFlippedBitEndsInTheRightAnswerOrInDamage() async throws {
    let (image, key) = try Self.sound()
    let workers = max(2, ProcessInfo.processInfo.activeProcessorCount)
    let (findings, checked) = try await withThrowingTaskGroup { group in
      for worker in 0..<workers {
        let part = (image.count * worker / workers)..<(image.count * (worker + 1) / workers)
        group.addTask { try Self.flipAll(of: image, key: key, in: part) }
      }
      return try await group.reduce(([String](), 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
    }
    #expect(checked == image.count * 8)
    #expect(findings.isEmpty, "\(findings.count): \(findings.prefix(20).joined(separator: "\n"))")
  }

  private static func flipAll(
    of image: [UInt8], key: [UInt8], in part: Range<Int>
  ) throws -> ([String], Int) {
    let patient = try Patient(image, key: key)
    patient.examine("the sound file")
    #expect(patient.unreadable == 0, "the sound file must answer everything")
    var checked = 0
    for offset in part {
      for bit in 0..<8 {
        try patient.flip(offset, bit)
        patient.examine("bit \(bit) of byte \(offset)")
        checked += 1
      }
    }
    return (patient.findings, checked)
  }

  @Test func burstsTruncationsAndLostPagesEndInTheRightAnswerOrInDamage() throws {
    let (image, key) = try Self.sound()
    let patient = try Patient(image, key: key)
    var random = Seeded(seed: 2)
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
      try patient.replace(with: damaged)
      patient.examine("round \(round) at \(offset)")
    }
    #expect(patient.findings.isEmpty, "\(patient.findings.prefix(20).joined(separator: "\n"))")
  }

  @Test func anotherFilesRowsAreDamage() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try SampleGroup.add(SampleGroup.carol, to: transaction)
    }
    // An older version of a row is sealed by the right key: only the sum tells.
    let opened = try group.open()
    let rows = try records(opened)
    try opened.write { transaction in
      var account = try #require(
        try transaction.accounts(named: CaseFolding.fold("work")).first)
      account.record.alias = "changed"
      try transaction.update(&account)
    }
    #expect(try records(opened) != rows)
    try opened.database.execute("UPDATE account SET sheet = x'\(hex(rows[0]))' WHERE id = 1")
    #expect(throws: StoreError.damaged(rows: nil)) {
      try opened.read { try $0.forEachAccount { _ in } }
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
    #expect(throws: StoreError.damaged(rows: nil)) {
      try opened.read { try $0.forEachAccount { _ in } }
    }
    #expect(throws: StoreError.damaged(rows: nil)) {
      try opened.read {
        try $0.accounts(named: CaseFolding.fold(SampleGroup.carol.username))
      }
    }
  }

  @Test func damageInOneAccountLeavesTheOthersAndIsCounted() throws {
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
    // A rotation keeps what it cannot read, and says so.
    let alice = try opened.read {
      try $0.accounts(named: CaseFolding.fold(SampleGroup.alice.username))
    }
    let report = try opened.write {
      try $0.rotate(
        to: SecretBytes.random(count: 32), erasing: alice, boot: "boot",
        keepsWrappedSuccessor: false,
        deletesOldKey: false)
    }
    #expect(report == .init(erased: 1, unreadable: 1))
    #expect(try records(opened).count == 2)
  }

  @Test func aListingWithinAListingEnds() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      for record in [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol] {
        try SampleGroup.add(record, to: transaction)
      }
    }
    var seen = 0
    try group.open().read { transaction in
      _ = try transaction.forEachAccount { _ throws(StoreError) in
        // A name that nobody has is looked for among all accounts.
        let found = try transaction.accounts(named: CaseFolding.fold("nobody"))
        #expect(found.isEmpty)
        seen += 1
        guard seen < 10 else { throw StoreError.busy }
      }
    }
    #expect(seen == 3)
  }

  @Test func aDamagedNameOrExtrasRowDoesNotStopASignOut() throws {
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
        to: SecretBytes.random(count: 32), erasing: alice, boot: "boot",
        keepsWrappedSuccessor: false,
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

/// A group file that is damaged again and again, and asked everything each time.
private final class Patient {
  private let scratch: Scratch
  private let path: String
  private let file: FileHandle
  private let key: [UInt8]
  private var image: [UInt8]
  private(set) var findings: [String] = []
  /// How often the answer was damage.
  private(set) var unreadable = 0
  private let ids = Set(
    [SampleGroup.alice, SampleGroup.bob, SampleGroup.carol].map(\.homeAccountID))
  private let token = Array(SampleGroup.secret(.accessToken, of: SampleGroup.alice).utf8)

  init(_ image: [UInt8], key: [UInt8]) throws {
    self.key = key
    // In memory where there is such a place: nothing here asks for durability.
    scratch = try Scratch(
      in: FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : nil)
    path = scratch("patient.vault")
    self.image = image
    try TokenVaultGroupStoreTests.write(image, to: path)
    file = try #require(FileHandle(forUpdatingAtPath: path))
  }

  func replace(with damaged: [UInt8]) throws {
    image = damaged
    try file.truncate(atOffset: 0)
    try file.seek(toOffset: 0)
    try file.write(contentsOf: Data(damaged))
  }

  private var flipped: (offset: Int, bit: Int)?

  func flip(_ offset: Int, _ bit: Int) throws {
    if let flipped { try toggle(flipped.offset, flipped.bit) }
    try toggle(offset, bit)
    flipped = (offset, bit)
  }

  private func toggle(_ offset: Int, _ bit: Int) throws {
    image[offset] ^= 1 << UInt8(bit)
    guard unsafe pwrite(file.fileDescriptor, [image[offset]], 1, off_t(offset)) == 1 else {
      throw StoreError.diskFull
    }
  }

  private var changed: [Int] = []

  func examine(_ what: String) {
    do { changed = try lastChange() } catch { findings.append("\(what): \(error)") }
    attempt(what, "open") {
      let group = try unlock(path, key)
      try group.read { transaction in
        attempt(what, "list") { try list(transaction) }
        attempt(what, "name and token") {
          let found = try transaction.accounts(
            named: CaseFolding.fold(SampleGroup.alice.username))
          guard found.map(\.record.homeAccountID) == [SampleGroup.alice.homeAccountID],
            let account = found.first, let stored = account.record.stored.first
          else { return "found \(found.count) accounts" }
          let secret = try transaction.payload(of: stored, in: account).secret.reveal()
          return secret == token ? nil : "wrong token"
        }
        attempt(what, "current") {
          try transaction.currentAccount()?.record.homeAccountID == SampleGroup.alice.homeAccountID
            ? nil : "wrong current account"
        }
      }
      return nil
    }
    expectUnchanged(what)
  }

  /// Compares what is cheap to compare each time: any write would change the time of the last.
  private func expectUnchanged(_ what: String) {
    do {
      let now = try lastChange()
      if now != changed {
        guard try contents(path) == image else {
          findings.append("\(what): the file was changed")
          return try replace(with: image)
        }
      }
    } catch { findings.append("\(what): \(error)") }
  }

  private func lastChange() throws -> [Int] {
    var status = stat()
    guard unsafe fstat(file.fileDescriptor, &status) == 0 else { throw StoreError.busy }
    return [Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
  }

  private func list(_ transaction: GroupTransaction) throws -> String? {
    var found: [String] = []
    let damaged = try transaction.forEachAccount { found.append($0.record.homeAccountID) }
    guard Set(found).count == found.count, ids.isSuperset(of: found),
      found.count + damaged == ids.count
    else { return "listed \(found), \(damaged) damaged" }
    return nil
  }

  private func attempt(_ what: String, _ operation: String, _ body: () throws -> String?) {
    do {
      if let wrong = try body() { findings.append("\(what): \(operation): \(wrong)") }
    } catch StoreError.damaged {
      unreadable += 1
    } catch StoreError.notAGroupFile {
      unreadable += 1
    } catch StoreError.unsupportedVersion {
      unreadable += 1
    } catch { findings.append("\(what): \(operation): \(error)") }
  }
}

/// Repeatable randomness: SplitMix64.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
