import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody

/// The rules that custodians keep which derive key-encryption keys.
@Suite(.timeLimit(.minutes(10))) struct DerivingKeyCustodianContractTests {
  private static let all = KeyCustodianContractTests.deriving

  @Test(arguments: all)
  func everyNewSlotHasASaltOfItsOwn(bench: any DerivingKeyCustodianBench.Type) throws {
    func check<Bench: DerivingKeyCustodianBench>(_: Bench.Type) throws {
      let slots = try (0..<100).map { _ in try Bench.Custodian.newSlotParameters() }
      #expect(Set(slots.map(\.salt)).count == slots.count)
      #expect(slots.allSatisfy { $0.salt.count == 32 })
      #expect(slots.allSatisfy { $0.cost == Bench.Custodian.newSlotCost })
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aSecretDerivesAnotherKeyForEachSlot(bench: any DerivingKeyCustodianBench.Type) throws {
    func check<Bench: DerivingKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let first = try Bench.Custodian.newSlotParameters()
      let second = try Bench.Custodian.newSlotParameters()
      #expect(bytes(try custodian.key(first)) != bytes(try custodian.key(second)))
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aSlotRefusesTheKeyOfAWrongSecret(bench: any DerivingKeyCustodianBench.Type) throws {
    func check<Bench: DerivingKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let groupKey = try SecretBytes.random(count: 32)
      let sealed = try SealingKey(bench.custodian().key(bench.reference))
        .seal(groupKey, associatedData: [1])
      let opened = try SealingKey(bench.custodian().key(bench.reference))
        .openSecret(sealed, associatedData: [1])
      #expect(bytes(opened) == bytes(groupKey))
      try bench.replaceSecret()
      let wrong = try SealingKey(bench.custodian().key(bench.reference))
      #expect(throws: CryptoError.self) { _ = try wrong.openSecret(sealed, associatedData: [1]) }
    }
    try check(bench)
  }
}
