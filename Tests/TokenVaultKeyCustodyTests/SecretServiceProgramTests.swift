import Foundation
import Synchronization
import TokenVaultCrypto
@testable import TokenVaultKeyCustody
import Testing
import TokenVaultTestSupport

/// In which the three Secret Services differ: see docs/secret-services.md.
@Suite(.serialized, .timeLimit(.minutes(5))) struct SecretServiceProgramTests {
  @Test(arguments: SecretServiceProgram.tested)
  func aPasswordTypedIntoThePromptOpensTheKeyring(program: SecretServiceProgram) throws {
    let service = try PrivateSecretService(program: program, hasScreen: true)
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)
    try service.lock()
    let title =
      switch program {
      case .gnomeKeyring: "Unlock Login Keyring"
      case .kWallet: "KDE Wallet Service"
      case .keePassXC: "Unlock Database"
      }
    let answer = try service.answer(window: title, text: PrivateSecretService.password)
    #expect(bytes(try service.custodian(allowPrompt: true).key(id)) == bytes(key))
    answer.waitUntilExit()
    #expect(answer.terminationStatus == 0)
  }

  /// 1 of 128 key agreements between libsecret and KWallet fails, because the two write a number that
  /// begins with a zero in different ways. Without a second attempt, 300 pass in 1 of 10 runs.
  @Test func aKeyIsStoredAlthoughKWalletRefusesSomeKeyAgreements() throws {
    let service = try PrivateSecretService(program: .kWallet)
    for _ in 0..<300 {
      try service.custodian().store(try SecretBytes.random(count: 32), as: .fresh())
    }
  }

  @Test(arguments: SecretServiceProgram.tested)
  func aDaemonThatDiesDuringAPromptIsReportedAsGone(program: SecretServiceProgram) throws {
    let service = try PrivateSecretService(.locked, program: program, hasScreen: true)
    let shown = DispatchSemaphore(value: 0)
    let relay = try BusRelay(
      to: service,
      sent: { data in if data.range(of: Data("Secret.Prompt\0".utf8)) != nil { shown.signal() } })
    defer { relay.stop() }
    Thread.detachNewThread {
      shown.wait()
      #expect(throws: Never.self) { try service.killDaemon() }
    }
    let custodian = service.custodian(allowPrompt: true, busAddress: relay.busAddress)
    #expect(failure { () throws(CustodyError) in _ = try custodian.key(.fresh()) } == .serviceGone)
  }

  /// The first service keeps its items, which the second one does not have. An answer of the second
  /// must not count: neither as a missing key nor as a finished deletion.
  @Test(arguments: ["SearchItems", "GetSecret", "Delete"])
  func aServiceThatTakesTheNameDuringACallDoesNotAnswerForTheFirst(call: String) throws {
    let service = try PrivateSecretService()
    let id = GroupKeyID.fresh()
    try service.custodian().store(try SecretBytes.random(count: 32), as: id)
    let relay = try BusRelay(
      to: service,
      sending: { data in
        if data.range(of: Data(call.utf8)) != nil {
          #expect(throws: Never.self) { try service.replaceDaemon() }
        }
      })
    defer { relay.stop() }
    let custodian = service.custodian(busAddress: relay.busAddress)
    let error = failure { () throws(CustodyError) in
      if call == "Delete" { try custodian.delete(id) } else { _ = try custodian.key(id) }
    }
    #expect(error == .serviceGone)
    try service.restoreDaemon()
    #expect(try service.custodian().generations(of: id.groupID) == [id.generation])
  }

  /// KWallet writes its file 5 seconds after a change, unless it is requested to. Killed before, it
  /// would have the item without its secret.
  @Test func aKWalletThatIsKilledAfterACallHasWhatTheCallPromised() throws {
    let service = try PrivateSecretService(program: .kWallet)
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    try service.custodian().store(key, as: id)
    try service.killDaemon()
    try service.startKWallet()
    #expect(bytes(try service.custodian().key(id)) == bytes(key))
    let wallet = service.directory.appending(path: "home/.local/share/kwalletd/kdewallet.kwl")
    let before = try Data(contentsOf: wallet)
    try service.custodian().delete(id)
    #expect(try Data(contentsOf: wallet).count < before.count)
  }

  /// After a login, KWallet calls an open wallet locked until its first use.
  @Test func aWalletThatTheLoginOpenedNeedsNoPrompt() throws {
    let service = try PrivateSecretService(program: .kWallet)
    let id = GroupKeyID.fresh()
    try service.custodian().store(try SecretBytes.random(count: 32), as: id)
    try service.killDaemon()
    try service.startKWallet()
    #expect(service.custodian().status().isLocked == false)
    #expect(try service.custodian().generations(of: id.groupID) == [id.generation])
  }

  /// A search would show its window, although the caller forbids a prompt.
  @Test func aLockedKeePassXCReceivesNoSearch() throws {
    let service = try PrivateSecretService(.locked, program: .keePassXC)
    let calls = Mutex(Data())
    let relay = try BusRelay(to: service, sent: { data in calls.withLock { $0 += data } })
    defer { relay.stop() }
    let custodian = service.custodian(busAddress: relay.busAddress)
    let id = GroupKeyID.fresh()
    #expect(failure { () throws(CustodyError) in _ = try custodian.key(id) } == .locked)
    #expect(
      failure { () throws(CustodyError) in _ = try custodian.generations(of: id.groupID) }
        == .locked)
    let sent = calls.withLock { $0 }
    #expect(sent.range(of: Data("ReadAlias".utf8)) != nil)
    #expect(sent.range(of: Data("SearchItems".utf8)) == nil)
  }

  /// KeePassXC unlocks an item for the connection that asked, and asks before a deletion.
  @Test func keePassXCAsksBeforeAKeyIsRead() throws {
    let service = try PrivateSecretService(program: .keePassXC, hasScreen: true)
    try service.confirmEachAccess()
    let id = GroupKeyID.fresh()
    let key = try SecretBytes.random(count: 32)
    let custodian = service.custodian(allowPrompt: true)
    func confirmed<Result>(_ body: () throws -> Result) throws -> Result {
      let answer = try service.confirmDialogs(window: "Access Request|elete")
      defer { kill(answer.processIdentifier, SIGKILL) }
      return try body()
    }
    try confirmed { try custodian.store(key, as: id) }
    #expect(try confirmed { bytes(try custodian.key(id)) } == bytes(key))
    // No dialog for these.
    #expect(try service.custodian().generations(of: id.groupID) == [id.generation])
    #expect(failure { () throws(CustodyError) in _ = try service.custodian().key(id) } == .locked)
    try confirmed { try custodian.delete(id) }
    #expect(try service.custodian().generations(of: id.groupID) == [])
  }
}
