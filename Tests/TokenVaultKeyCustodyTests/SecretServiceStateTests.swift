import Foundation
@testable import TokenVaultKeyCustody
import Testing
import TokenVaultSystem
import TokenVaultTestSupport
import TokenVaultCrypto

/// The states of the Secret Service: each is an error of its own for every call, within the deadline.
@Suite(.timeLimit(.minutes(5))) struct SecretServiceStateTests {
  // The contract has the states of the other programs.
  @Test(arguments: [
    (PrivateSecretService.State.noBus, CustodyError.noBus),
    (.noService, .noService),
    (.noCollection, .noDefaultCollection),
    (.activatable, .noDefaultCollection),
    (.locked, .locked),
  ])
  func aStateIsTheSameErrorForEveryCall(
    state: PrivateSecretService.State, expected: CustodyError
  ) throws {
    let service = try PrivateSecretService(state)
    try expectEveryCall(service.custodian(), toThrow: expected)
  }

  @Test func aMissingAddressIsReportedAsNoBus() throws {
    let custodian = SecretServiceCustodian(busAddress: nil, allowPrompt: false)
    try expectEveryCall(custodian, toThrow: .noBus)
    #expect(!custodian.status().isBusReachable)
  }

  @Test func aFrozenDaemonEndsInATimeout() throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)
    try service.freezeDaemon()
    try expectEveryCall(service.custodian(deadlineMilliseconds: 1000), toThrow: .timedOut)
    try service.thawDaemon()
    #expect(bytes(try service.custodian().key(id)) == bytes(key))
  }

  @Test func aBusThatStopsAnsweringLibsecretEndsInATimeout() throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    // The first connection is the lean search, the second is libsecret's.
    let relay = try BusRelay(to: service, answered: 1)
    defer { relay.stop() }
    let custodian = service.custodian(busAddress: relay.busAddress, deadlineMilliseconds: 1000)
    #expect(
      failure { () throws(CustodyError) in try custodian.store(key, as: id) } == .timedOut)
    #expect(try service.custodian().generations(of: id.groupID) == [])
  }

  @Test(arguments: ["CreateItem", "Delete"])
  func aDaemonThatFreezesWhileLibsecretWaitsEndsInATimeout(call: String) throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)
    let relay = try BusRelay(
      to: service,
      sending: { data in
        if data.range(of: Data(call.utf8)) != nil {
          #expect(throws: Never.self) { try service.freezeDaemon() }
        }
      })
    defer { relay.stop() }
    let custodian = service.custodian(busAddress: relay.busAddress, deadlineMilliseconds: 1000)
    let error = failure { () throws(CustodyError) in
      switch call {
      case "CreateItem": try custodian.store(key, as: id.with(generation: 2))
      default: try custodian.delete(id)
      }
    }
    #expect(error == .timedOut)
  }

  /// A thread of its own kills the daemon once the call has reached the bus: in the test's own thread,
  /// other tests could delay it beyond the deadline, and the relay must keep running in case it
  /// receives the call in two pieces.
  @Test(arguments: ["ReadAlias", "OpenSession", "GetSecret", "CreateItem", "Delete"])
  func aDaemonThatDiesDuringACallIsReportedAsGoneNotAsWithoutAKey(
    call: String
  ) throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    try service.custodian().store(try SecretBytes.random(count: 32), as: id)
    let reached = DispatchSemaphore(value: 0)
    let relay = try BusRelay(
      to: service,
      sending: { data in
        // Frozen from here on, so that it cannot answer before it is killed.
        if data.range(of: Data(call.utf8)) != nil {
          #expect(throws: Never.self) { try service.freezeDaemon() }
        }
      },
      sent: { data in if data.range(of: Data(call.utf8)) != nil { reached.signal() } })
    defer { relay.stop() }
    Thread.detachNewThread {
      reached.wait()
      #expect(throws: Never.self) {
        // When the bus has answered later connections, it has passed on the call.
        for _ in 0..<3 {
          var later = try SessionBus.open(service.busAddress, Deadline(milliseconds: 20_000))
          let asked = later.call(.bus("GetId"))
          _ = try later.reply(to: asked, "s")
        }
        try service.killDaemon()
      }
    }
    let custodian = SecretServiceCustodian(
      busAddress: relay.busAddress, allowPrompt: false, deadlineMilliseconds: 60_000)
    let error = failure { () throws(CustodyError) in
      switch call {
      case "CreateItem":
        try custodian.store(try custodian.key(id), as: id.with(generation: 2))
      case "Delete": try custodian.delete(id)
      default: _ = try custodian.key(id)
      }
    }
    #expect(error == .serviceGone)
  }

  @Test func aDaemonThatDiedBeforeTheCallIsReportedAsNoService() throws {
    let service = try PrivateSecretService()
    try service.killDaemon()
    try expectEveryCall(service.custodian(), toThrow: .noService)
  }

  @Test(arguments: SecretServiceProgram.tested)
  func aLockedKeyringIsNeverAMissingKey(program: SecretServiceProgram) throws {
    let service = try PrivateSecretService(program: program)
    let custodian = service.custodian()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try custodian.store(key, as: id)
    try service.lock()
    // A stored key and a key that never existed look the same from outside.
    for id in [id, .fresh()] {
      #expect(failure { () throws(CustodyError) in _ = try custodian.key(id) } == .locked)
      #expect(failure { () throws(CustodyError) in try custodian.delete(id) } == .locked)
      #expect(failure { () throws(CustodyError) in try custodian.store(key, as: id) } == .locked)
      #expect(
        failure { () throws(CustodyError) in _ = try custodian.generations(of: id.groupID) }
          == .locked)
    }
    try service.unlock()
    #expect(bytes(try custodian.key(id)) == bytes(key))
  }

  @Test func aPromptThatCannotBeAnsweredIsReportedAsDismissed() throws {
    let service = try PrivateSecretService(.locked)
    // There is no prompter on this bus, so the keyring closes its prompt at once.
    let custodian = service.custodian(allowPrompt: true)
    try expectEveryCall(custodian, toThrow: .promptDismissed)
  }

  @Test func aLockedCollectionIsUnlockedAndReadIfAPromptIsAllowed() throws {
    let service = try PrivateSecretService(.lockedWithoutPassword)
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    let next = try SecretBytes.random(count: 32)
    #expect(
      failure { () throws(CustodyError) in try service.custodian().store(key, as: id) } == .locked)
    let custodian = service.custodian(allowPrompt: true)
    try custodian.store(key, as: id)

    try service.lock()
    #expect(failure { () throws(CustodyError) in _ = try service.custodian().key(id) } == .locked)
    #expect(bytes(try custodian.key(id)) == bytes(key))

    try service.lock()
    try custodian.store(next, as: id.with(generation: 2))
    try service.lock()
    #expect(try custodian.generations(of: id.groupID) == [1, 2])
    try service.lock()
    try custodian.delete(id)
    #expect(try custodian.generations(of: id.groupID) == [2])
  }

  @Test(arguments: SecretServiceProgram.tested)
  func theStatusDistinguishesTheStates(program: SecretServiceProgram) throws {
    for (state, service, collection, locked) in [
      (.unlocked, .running, true, false), (.locked, .running, true, true),
      (.noCollection, .running, false, nil), (.noService, .absent, nil, nil),
      (.noBus, nil, nil, nil),
    ] as [(PrivateSecretService.State, SecretServiceStatus.Service?, Bool?, Bool?)] {
      let peer = try PrivateSecretService(state, program: program)
      let status = peer.custodian().status()
      #expect(status.isBusReachable == (state != .noBus))
      #expect(status.service == service)
      #expect(status.hasDefaultCollection == collection)
      #expect(status.isLocked == locked)
      #expect((status.failure == nil) == (state == .unlocked))
      #expect(status.program == (service == .running ? program : nil))
    }
  }

  private func expectEveryCall(
    _ custodian: SecretServiceCustodian, toThrow expected: CustodyError
  ) throws {
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    let start = ContinuousClock.now
    #expect(failure { () throws(CustodyError) in _ = try custodian.key(id) } == expected)
    #expect(failure { () throws(CustodyError) in try custodian.store(key, as: id) } == expected)
    #expect(failure { () throws(CustodyError) in try custodian.delete(id) } == expected)
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.generations(of: id.groupID) }
        == expected)
    // Four answers within one second each, and a generous allowance for a busy machine. It is less
    // than one full deadline of the custodians whose errors must not come from the deadline.
    #expect(ContinuousClock.now - start < .seconds(20))
  }
}
