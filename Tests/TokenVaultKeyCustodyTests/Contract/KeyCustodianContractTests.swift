import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultKeyCustody

/// The rules that every custodian keeps. A new custodian is added to `storing` or `deriving`.
@Suite(.timeLimit(.minutes(10))) struct KeyCustodianContractTests {
  static let storing: [any StoringKeyCustodianBench.Type] =
    SecretServiceProgram.tested.map { program in
      switch program {
      case .gnomeKeyring: SecretServiceBench<GnomeKeyring>.self
      case .kWallet: SecretServiceBench<KWallet>.self
      case .keePassXC: SecretServiceBench<KeePassXC>.self
      }
    } + [DevicePartBench.self]
  static let deriving: [any DerivingKeyCustodianBench.Type] = [
    PassphraseBench.self,
    KeyFileBench.self,
  ]
  static let all: [any KeyCustodianBench.Type] = storing + deriving

  @Test func everyCustodianOfTheModuleIsUnderContract() throws {
    func name<Bench: KeyCustodianBench>(_: Bench.Type) -> String { "\(Bench.Custodian.self)" }
    let module = URL(filePath: #filePath).appending(
      path: "../../../../Sources/TokenVaultKeyCustody")
    let conformance = #/(?:class|struct|enum|actor|extension) (\w+): [^{]*KeyCustodian\b/#
    var found: Set<String> = []
    let files = try #require(
      FileManager.default.enumerator(
        at: module.standardizedFileURL, includingPropertiesForKeys: nil))
    for case let file as URL in files where file.pathExtension == "swift" {
      let text = try String(contentsOf: file, encoding: .utf8)
      found.formUnion(text.matches(of: conformance).map { String($0.output.1) })
    }
    #expect(found == Set(Self.all.map { name($0) }))
  }

  @Test(arguments: all)
  func aReferenceAlwaysRetrievesTheSameKeyOf32Bytes(bench: any KeyCustodianBench.Type) async throws
  {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) async throws {
      let bench = try Bench()
      let key = try bench.key()
      #expect(key.count == 32)
      #expect(try bench.key() == key)
      let custodian = try bench.custodian()
      let reference = bench.reference
      await withTaskGroup { tasks in
        for _ in 0..<4 {
          tasks.addTask {
            let thrown = await onThread {
              failure { () throws(CustodyError) in
                if bytes(try custodian.key(reference)) != key { throw .wrongKey }
              }
            }
            #expect(thrown == nil)
          }
        }
      }
    }
    try await check(bench)
  }

  @Test(arguments: all)
  func anotherReferenceNeverRetrievesTheKey(bench: any KeyCustodianBench.Type) throws {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let key = try bench.key()
      let custodian = try bench.custodian()
      let unused = try bench.unusedReference()
      do throws(CustodyError) {
        let other = bytes(try custodian.key(unused))
        #expect(other != key)
      } catch {
        guard case .keyMissing = error else { throw error }
      }
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aMissingSecretIsReportedAsMissingAndNotReplaced(
    bench: any KeyCustodianBench.Type
  ) throws {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      try bench.removeSecret()
      let before = try #require(try bench.content())
      #expect(try bench.failure() == Bench.missing)
      #expect(try bench.failure() == Bench.missing)
      #expect(try bench.content() == before)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func eachFailingStateIsAnErrorOfItsOwn(bench: any KeyCustodianBench.Type) throws {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) throws {
      var known = [Bench.missing]
      for state in Bench.failingStates {
        let bench = try Bench()
        let key = try bench.key()
        try state.enter(bench)
        let before = try bench.content()
        let start = ContinuousClock.now
        #expect(try bench.failure() == state.error, "\(state.name)")
        // One second of deadline where the deadline ends it, and time for a busy machine.
        #expect(ContinuousClock.now - start < .seconds(20), "\(state.name)")
        #expect(try bench.content() == before, "\(state.name)")
        #expect(!known.contains(state.error), "\(state.name)")
        known.append(state.error)
        if let leave = state.leave {
          try leave(bench)
          #expect(try bench.key() == key, "after \(state.name)")
        }
      }
    }
    try check(bench)
  }

  @Test(arguments: all)
  func retrievingChangesNothing(bench: any KeyCustodianBench.Type) throws {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let before = try #require(try bench.content())
      _ = try bench.key()
      #expect(try bench.content() == before)
    }
    try check(bench)
  }

  @Test(arguments: all)
  func aWrongSecretNeverRetrievesTheKey(bench: any KeyCustodianBench.Type) throws {
    func check<Bench: KeyCustodianBench>(_: Bench.Type) throws {
      let bench = try Bench()
      let key = try bench.key()
      try bench.replaceSecret()
      #expect(try bench.key() != key)
    }
    try check(bench)
  }
}
