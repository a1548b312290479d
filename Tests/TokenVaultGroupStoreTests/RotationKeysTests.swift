import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultGroupStore

@Suite(.timeLimit(.minutes(5))) struct RotationKeysTests {
  private func key(_ byte: UInt8) throws -> SecretBytes {
    try SecretBytes(copying: [UInt8](repeating: byte, count: 32))
  }

  private func first(
    _ keys: borrowing RotationKeys, _ purpose: RotationKeys.Purpose, _ number: UInt64
  ) throws -> UInt8? {
    guard let key = try keys.key(purpose, number) else { return nil }
    return unsafe key.withUnsafeBytes { unsafe $0[31] }
  }

  @Test func keysAreFoundByPurposeAndNumber() throws {
    var keys = try RotationKeys()
    for (number, byte) in [(UInt64(9), UInt8(1)), (3, 2), (1 << 32, 3)] {
      try keys.set(.bridge, number, to: key(byte))
      try keys.set(.slot, number, to: key(byte + 10))
    }
    try keys.set(.bridge, 3, to: key(4))
    try keys.remove(.slot, 9)
    try keys.remove(.slot, 8)
    let copy = try RotationKeys(keys.content.clone())
    #expect(copy.numbers(.bridge) == [3, 9, 1 << 32])
    #expect(copy.numbers(.slot) == [3, 1 << 32])
    for (number, byte) in [(UInt64(9), UInt8(1)), (3, 4), (1 << 32, 3)] {
      #expect(try first(copy, .bridge, number) == byte)
    }
    #expect(try first(copy, .slot, 3) == 12)
    #expect(try first(copy, .slot, 1 << 32) == 13)
    #expect(try first(copy, .slot, 9) == nil)
    try keys.removeAll(.bridge)
    #expect(keys.numbers(.bridge) == [])
    #expect(keys.numbers(.slot) == [3, 1 << 32])
  }

  @Test func anythingElseThanEntriesInOrderIsDamage() throws {
    func entry(_ purpose: UInt8, _ number: UInt8) -> [UInt8] {
      [purpose, 0, 0, 0, 0, 0, 0, 0, number] + Array(repeating: 7, count: 32)
    }
    let broken: [[UInt8]] = [
      [1], Array(entry(1, 5).dropLast()), entry(0, 5), entry(3, 5), entry(1, 5) + entry(1, 5),
      entry(2, 1) + entry(1, 5), entry(1, 5) + entry(1, 4), entry(1, 4) + [0],
    ]
    for content in broken {
      #expect(throws: StoreError.damaged(rows: nil)) {
        _ = try RotationKeys(SecretBytes(copying: content))
      }
    }
  }

  /// Reading an account works without them: they are not even opened.
  @Test func readingDoesNotOpenTheRotationKeys() throws {
    let scratch = try Scratch()
    let group = try FreshGroup(scratch("a.vault")) { transaction in
      try SampleGroup.add(SampleGroup.alice, to: transaction)
      try transaction.setSlot(
        .recovery, under: key(5), parameters: .init(salt: [UInt8](repeating: 1, count: 32)))
    }
    let opened = try group.open()
    try opened.database.setMeta(
      Format.Meta.rotationKeys.rawValue, [UInt8](repeating: 7, count: 151))
    let found = try opened.read { transaction in
      let account = try #require(try transaction.accounts(named: CaseFolding.fold("work")).first)
      #expect(try transaction.forEachAccount { _ in } == 0)
      // The state has no key of a slot, either.
      #expect(transaction.state.slotKeys.isEmpty)
      let state = transaction.state.encoded()
      #expect(!state.contains(Array(repeating: 5, count: 32)))
      return try transaction.payload(of: account.record.stored[0], in: account).secret.reveal()
    }
    #expect(found == Array(SampleGroup.secret(.accessToken, of: SampleGroup.alice).utf8))
    try opened.write { $0.state.current = nil }
    // A change of the key needs them, and a check of the whole file reports the damage.
    #expect(throws: StoreError.damaged(rows: nil)) {
      try opened.write {
        try $0.rotate(
          to: GenerationKey(key(6)), erasing: [], boot: "boot", deletesOldKey: false)
      }
    }
    #expect(throws: StoreError.damaged(rows: nil)) { try opened.read { try $0.verify() } }
  }
}
