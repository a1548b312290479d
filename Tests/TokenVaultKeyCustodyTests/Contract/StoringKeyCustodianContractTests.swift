import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody

/// The rules that custodians keep which store keys.
@Suite(.timeLimit(.minutes(10))) struct StoringKeyCustodianContractTests {
  private static let all = KeyCustodianContractTests.storing

  @Test(arguments: all)
  func aStoredKeyIsRetrievedUntilItsDeletion(bench: any StoringKeyCustodianBench.Type) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let id = try bench.unusedReference()
      let key = try SecretBytes.random(count: 32)
      try custodian.store(key, as: id)
      #expect(bytes(try custodian.key(id)) == bytes(key))
      try custodian.delete(id)
      #expect(
        failure { () throws(CustodyError) in _ = try custodian.key(id) }
          == .keyMissing(generation: id.generation))
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aDeletedKeyLeavesNothingBehind(bench: any StoringKeyCustodianBench.Type) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let id = try bench.unusedReference()
      let before = try #require(try bench.content())
      try custodian.store(try SecretBytes.random(count: 32), as: id)
      #expect(try bench.content() != before)
      try custodian.delete(id)
      #expect(try bench.content() == before)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func deletingAMissingKeyIsNoErrorAndDeletesNoOther(
    bench: any StoringKeyCustodianBench.Type
  ) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let key = try bench.key()
      try bench.custodian().delete(try bench.unusedReference())
      #expect(try bench.key() == key)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aStoredKeyIsNeverOverwritten(bench: any StoringKeyCustodianBench.Type) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let key = try bench.key()
      let other = try SecretBytes.random(count: 32)
      #expect(
        failure { () throws(CustodyError) in try custodian.store(other, as: bench.reference) }
          == .alreadyStored(generation: bench.reference.generation))
      #expect(try bench.key() == key)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aKeyOfAnotherSizeIsNotStored(bench: any StoringKeyCustodianBench.Type) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let id = try bench.unusedReference()
      let before = try #require(try bench.content())
      for count in [0, 31, 33] {
        let key = try SecretBytes.random(count: count)
        #expect(
          failure { () throws(CustodyError) in try custodian.store(key, as: id) } == .wrongKey)
      }
      #expect(try bench.content() == before)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func generationsAreThoseOfTheGroupInAscendingOrder(
    bench: any StoringKeyCustodianBench.Type
  ) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let custodian = try bench.custodian()
      let id = bench.reference
      for generation in [10, 9, UInt64.max] {
        try custodian.store(
          try SecretBytes.random(count: 32), as: id.with(generation: generation))
      }
      try custodian.store(try SecretBytes.random(count: 32), as: .fresh(generation: 5))
      #expect(
        try custodian.generations(of: id.groupID) == [id.generation, 9, 10, .max])
      try custodian.delete(id)
      #expect(try custodian.generations(of: id.groupID) == [9, 10, .max])
      #expect(try custodian.generations(of: GroupKeyID.fresh().groupID) == [])
    }
    try check(bench)
  }

  @Test(arguments: all)
  func inAFailingStateEveryCallFailsAndChangesNothing(
    bench: any StoringKeyCustodianBench.Type
  ) throws {
    func check<Bench: StoringKeyCustodianBench>(_: Bench.Type) throws {
      for state in Bench.failingStates where state.isOfThePlace {
        let bench = try Bench()
        let before = try bench.content()
        try state.enter(bench)
        let custodian = try bench.custodian()
        let id = bench.reference
        let key = try SecretBytes.random(count: 32)
        // The same for a key that is stored and for one that never was.
        for id in [id, try bench.unusedReference()] {
          let failures = [
            failure { () throws(CustodyError) in _ = try custodian.key(id) },
            failure { () throws(CustodyError) in try custodian.store(key, as: id) },
            failure { () throws(CustodyError) in try custodian.delete(id) },
            failure { () throws(CustodyError) in _ = try custodian.generations(of: id.groupID) },
          ]
          #expect(failures.allSatisfy { $0 == state.error }, "\(state.name): \(failures)")
        }
        if let leave = state.leave {
          try leave(bench)
          let after = try bench.content()
          #expect(after == before, "after \(state.name)")
        }
      }
    }
    try check(bench)
  }
}
