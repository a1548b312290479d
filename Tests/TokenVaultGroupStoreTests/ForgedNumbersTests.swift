import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

/// Numbers in the cleartext of a file, changed by an attacker who computes the digest anew.
@Suite(.timeLimit(.minutes(5))) struct ForgedNumbersTests {
  private let scratch: Scratch
  private let group: FreshGroup
  private let slotKey = [UInt8](repeating: 5, count: 32)

  init() throws {
    scratch = try Scratch()
    group = try FreshGroup(scratch("a.vault"), custody: .keyFile) { [slotKey] transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      for position in KeySlot.Position.allCases {
        try transaction.setSlot(
          position, under: SecretBytes(copying: slotKey),
          parameters: .init(salt: [UInt8](repeating: 1, count: 32)))
      }
    }
  }

  private func setMeta(_ row: Int64, _ value: [UInt8]) throws {
    try Database(path: group.path, busyMilliseconds: 0).setMeta(row, value)
  }

  @Test(arguments: [0, 1 << 32 + 1, 1 << 62, Int64.max.magnitude, 1 << 63, .max])
  func forgedNumbersInTheClearAreDamage(number: UInt64) throws {
    var header = try LockedGroup(path: group.path).header
    header.generation = number
    try setMeta(Format.Meta.header.rawValue, try header.encoded())
    #expect(throws: StoreError.damaged(rows: nil)) { _ = try LockedGroup(path: group.path) }
  }

  @Test(arguments: [1, 1 << 20, 1 << 40, UInt64.max])
  func aSlotWithForgedStepsIsDamage(steps: UInt64) throws {
    for generation in [1, Format.largestGeneration] {
      var header = GroupHeader(
        groupID: try LockedGroup(path: group.path).header.groupID, custody: .keyFile)
      header.generation = generation
      try setMeta(Format.Meta.header.rawValue, try header.encoded())
      for position in KeySlot.Position.allCases {
        let locked = try LockedGroup(path: group.path)
        guard var slot = try locked.slot(position) else { throw StoreError.damaged(rows: nil) }
        slot.parameters.steps = steps
        try setMeta(position.rawValue, slot.encoded())
        let key = try SecretBytes(copying: slotKey)
        do {
          let forged = try #require(try LockedGroup(path: group.path).slot(position))
          _ = try LockedGroup(path: group.path).open(forged, at: position, with: key)
          Issue.record("a slot with \(steps) forged steps opened")
        } catch let error as StoreError {
          // As many steps as a real group may have are taken, and lead to another key.
          let isPossible = steps < generation && steps <= Format.mostSlotSteps
          #expect(error == (isPossible ? .wrongKey : .damaged(rows: nil)))
        }
        slot.parameters.steps = 0
        try setMeta(position.rawValue, slot.encoded())
      }
    }
  }

  @Test func aSlotWithForgedCostIsDamage() throws {
    let largest = UInt64.max
    for cost: (UInt64, UInt64, UInt64) in [
      (0, 8, 1), (17, 0, 1), (17, 8, 0), (21, 8, 1), (largest, 8, 1), (17, largest, 1),
      (17, 8, largest), (20, 9, 1), (17, 8, 17), (largest, largest, largest), (64, 1, 1),
    ] {
      guard var slot = try LockedGroup(path: group.path).slot(.custody) else {
        throw StoreError.damaged(rows: nil)
      }
      (slot.parameters.logN, slot.parameters.r, slot.parameters.p) = cost
      let bytes = slot.encoded()
      #expect(throws: StoreError.damaged(rows: nil), "\(cost)") { try KeySlot(encoded: bytes) }
    }
    var slot = try #require(try LockedGroup(path: group.path).slot(.custody))
    (slot.parameters.logN, slot.parameters.r, slot.parameters.p) = (20, 8, 1)
    #expect(try KeySlot(encoded: slot.encoded()) == slot)
  }

  @Test func forgedWrappedSuccessorKeysAreIgnored() throws {
    for row in [1_001, 1_005, Int64.max] { try setMeta(row, [UInt8](repeating: 7, count: 60)) }
    let locked = try LockedGroup(path: group.path)
    #expect(try locked.generationsWithWrappedSuccessorKey() == [])
    let part = try SecretBytes(copying: slotKey)
    for generation in [0, 1, 5, UInt64.max] {
      do {
        _ = try locked.unwrapKeyringPart(from: generation, with: part, device: part)
        Issue.record("a forged key was unwrapped")
      } catch {
        #expect([.wrongKey, .damaged(rows: nil)].contains(error))
      }
      do {
        _ = try locked.unwrapSuccessorKey(of: generation, with: part)
        Issue.record("a forged key was unwrapped")
      } catch {
        #expect([.wrongKey, .damaged(rows: nil)].contains(error))
      }
    }
  }

  /// A backup of another person may be made for it: its content authenticates.
  @Test func sealedNumbersOfAnotherPersonAreBoundedToo() throws {
    let opened = try group.open()
    var state = try opened.read { $0.state }
    (state.changes, state.accountCount) = (.max, 0)
    try opened.database.setMeta(
      Format.Meta.state.rawValue,
      try opened.keys.wrap.sealRow(
        Padding.pad(state.encoded()), opened.header.associatedData(.state)))
    try opened.write { transaction in
      let name = CaseFolding.fold(SampleGroup.alice.username)
      try transaction.remove(try #require(try transaction.accounts(named: name).first))
    }
    #expect(try opened.read { try $0.forEachAccount { _ in } } == 0)

    for number in [UInt64(1 << 33), 1 << 63, .max] {
      let entry = [2] + number.bigEndianBytes + [UInt8](repeating: 7, count: 32)
      let content = try SecretBytes(copying: entry)
      #expect(throws: StoreError.damaged(rows: nil)) { _ = try RotationKeys(content.clone()) }
    }
  }
}
