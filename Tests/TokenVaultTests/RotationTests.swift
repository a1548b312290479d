import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct RotationTests {
  /// A vault with Ada and Bob.
  /// - Parameter own: whether it has its own keyring, for a test that makes the keyring fail.
  private func vault(own: Bool = false) throws -> TestVault {
    let vault = try TestVault(session: own ? PrivateSecretService() : nil)
    try vault.groupSession().importCache(Person.ada.cache() + Person.bob.cache())
    return vault
  }

  private func usernames(_ vault: TestVault) throws -> [String] {
    try vault.groupSession().accounts(.all).usernames
  }

  private static let both = ["ada@contoso.example", "Bob@fabrikam.example"]

  @Test func aLockedKeyringPreventsASignOutAndNothingChanges() throws {
    let vault = try vault(own: true)
    let session = vault.groupSession()
    _ = try session.accounts(.all)
    try vault.session.lock()
    let error = #expect(throws: VaultError.self) { try session.signOut([Person.ada.id]) }
    #expect(error?.custody == .locked)
    #expect(try session.accounts(.all).usernames == Self.both)
    let cold = #expect(throws: VaultError.self) { try vault.groupSession().accounts(.all) }
    #expect(cold?.custody == .locked)
    try vault.session.unlock()
    #expect(try vault.keyringGenerations(try session.keyID().groupID) == [1])
    #expect(try session.signOut([Person.ada.id]).isClean)
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
  }

  @Test func aFrozenOrDeadDaemonPreventsASignOutAndNothingChanges() throws {
    let vault = try vault(own: true)
    let session = vault.groupSession()
    _ = try session.accounts(.all)
    try vault.session.freezeDaemon()
    let frozen = #expect(throws: VaultError.self) { try session.signOut([Person.ada.id]) }
    #expect(frozen?.custody == .timedOut)
    try vault.session.thawDaemon()
    #expect(try session.accounts(.all).usernames == Self.both)
    try vault.session.killDaemon()
    let dead = #expect(throws: VaultError.self) { try session.signOut([Person.ada.id]) }
    #expect(dead?.custody == .noService)
    #expect(try session.accounts(.all).usernames == Self.both)
    #expect(try session.header().generation == 1)
  }

  /// If the keyring fails after the commit, the sign-out is done, the report is not clean, and the
  /// next open does the rest.
  @Test func aDaemonThatDiesAfterTheCommitIsReportedAndTheNextOpenFinishes() throws {
    let vault = try vault(own: true)
    let session = vault.groupSession()
    let id = try session.keyID()
    let outcome = try session.withGroup { group in
      try FileLock.hold(session.configuration.lockPath, waiting: 0) {
        try Rotation(session.configuration).run(
          group, finally: { _ in try vault.session.freezeDaemon() },
          { [try session.lookup.stored(.named(Person.ada.id), in: $0)] })
      }
    }
    #expect(outcome.oldKeyFailure as? CustodyError == .timedOut)
    #expect(outcome.report.erased == 1)
    #expect(try session.accounts(.all).usernames == ["Bob@fabrikam.example"])
    try vault.session.thawDaemon()
    #expect(try vault.keyringGenerations(id.groupID) == [1, 2])
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try session.read { $0.state.pendingDeletions } == [])
  }

  /// The sign-out applies to the changes that others made meanwhile.
  @Test func othersCanWriteWhileASlowKeyringStoresAKey() throws {
    let vault = try vault()
    let (arrived, released, ended) = (Signal(), Signal(), Signal())
    let relay = try BusRelay(
      to: vault.session,
      sending: { data in
        guard data.range(of: Data("CreateItem".utf8)) != nil else { return }
        arrived.send()
        released.wait()
      })
    defer { relay.stop() }
    let isClean = Mutex(false)
    let isStarted = WorkerThread.start {
      let session = vault.groupSession { $0.sessionBusAddress = relay.busAddress }
      do {
        let report = try session.signOut([Person.ada.id])
        isClean.withLock { $0 = report.isClean }
      } catch { Issue.record(error) }
      ended.send()
    }
    try #require(isStarted)
    arrived.wait()
    try vault.groupSession().setAlias("office", of: Person.bob.username)
    #expect(try vault.groupSession().accounts(.all).usernames == Self.both)
    released.send()
    ended.wait()
    #expect(isClean.withLock { $0 })
    #expect(try usernames(vault) == [Person.bob.username])
    #expect(try vault.groupSession().account(named: "office").username == Person.bob.username)
  }

  @Test func aFailedChangeDeletesItsNewKey() throws {
    let vault = try vault()
    let session = vault.groupSession()
    let id = try session.keyID()
    #expect(throws: VaultError.self) {
      try session.withGroup { group in
        _ = try FileLock.hold(session.configuration.lockPath, waiting: 0) {
          try Rotation(session.configuration).run(
            group, finally: { _ in throw StoreError.diskFull }, { _ in [] })
        }
      }
    }
    #expect(try vault.keyringGenerations(id.groupID) == [1])
    #expect(try usernames(vault) == Self.both)
  }

  /// It is never used as the group's key.
  @Test func theKeyOfAnInterruptedRotationIsReplaced() throws {
    let vault = try vault()
    let session = vault.groupSession()
    let id = try session.keyID()
    try vault.custodian.store(try SecretBytes.random(count: 32), as: try session.keyID(2))
    #expect(try usernames(vault) == Self.both)
    #expect(try session.signOut([Person.ada.id]).isClean)
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
  }

  /// The wrapped successor keys lead from the first key to the key in force. Erased accounts stay
  /// erased.
  @Test func aGroupOpensAfterAPowerCutLostTheWritesOfTheKeyring() throws {
    let vault = try vault()
    let session = vault.groupSession()
    let old = try session.keyID()
    let key = try vault.custodian.key(old)
    try session.signOut([Person.ada.id])
    try session.signOut([Person.bob.id])
    try session.importCache(Person.bob.cache("-2"))
    session.close()
    // The daemon had not written the changes: its disk has the first key, although the group has
    // reached the third generation.
    try vault.custodian.delete(try session.keyID())
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "second boot" }

    func opens(_ place: Comment) throws {
      #expect(try usernames(vault) == ["Bob@fabrikam.example"], place)
      #expect(try vault.keyringGenerations(old.groupID) == [3], place)
    }
    func wrappedSuccessors() throws -> [UInt64] {
      let locked = try LockedGroup(path: vault.file().path)
      return try locked.generationsWithWrappedSuccessorKey()
    }
    try opens("first power cut")
    // The key was stored again in this boot, so the next power cut can still undo that.
    #expect(try wrappedSuccessors() == [1, 2])
    try vault.custodian.delete(try session.keyID())
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "third boot" }
    try opens("second power cut")
    vault.boot.withLock { $0 = "fourth boot" }
    try opens("no power cut")
    #expect(try wrappedSuccessors() == [])
  }

  @Test func aGroupOpensAfterAPowerCutRestoredTheKeyOfAnUncommittedRotation() throws {
    let vault = try vault()
    let session = vault.groupSession()
    let old = try session.keyID()
    let key = try vault.custodian.key(old)
    try session.signOut([Person.ada.id])
    let id = try session.keyID()
    session.close()
    try vault.custodian.delete(id)
    try vault.custodian.store(try SecretBytes.random(count: 32), as: id)
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "second boot" }
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try vault.keyringGenerations(old.groupID) == [2])
  }

  @Test func theFormerKeyLeavesTheKernelKeyringBeforeTheCommit() throws {
    let vault = try TestVault(
      manifest: GroupManifest(
        name: .universalStorage, title: "test", members: [], custody: .passphrase,
        deviceMode: .private))
    let session = vault.groupSession {
      $0.passphrase = { _ in try SecretBytes(copying: Array("fake-passphrase".utf8)) }
    }
    try session.importCache(Person.ada.cache())
    try session.unlock(seconds: 600)
    let old = try session.keyID()
    _ = try session.withGroup { group in
      try FileLock.hold(session.configuration.lockPath, waiting: 0) {
        try Rotation(session.configuration).run(
          group,
          finally: { _ in
            let left = try KernelKeyring.secondsLeft(old)
            #expect(left == nil)
          }, { _ in [] })
      }
    }
    #expect((try KernelKeyring.secondsLeft(try session.keyID()) ?? 0) > 590)
    _ = try session.lock()
  }

  @Test func wrappedSuccessorKeysRemainUntilALaterBootHasReadTheNewKey() throws {
    let vault = try vault()
    try vault.groupSession().signOut([Person.ada.id])
    func wrappedSuccessors() throws -> [UInt64] {
      let locked = try LockedGroup(path: vault.file().path)
      return try locked.generationsWithWrappedSuccessorKey()
    }
    _ = try usernames(vault)
    #expect(try wrappedSuccessors() == [1])
    vault.boot.withLock { $0 = "second boot" }
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try wrappedSuccessors() == [])
  }

  @Test func aSessionThatFellBehindNeverDeletesTheKeyInForce() throws {
    let vault = try vault()
    let (first, second) = (vault.groupSession(), vault.groupSession())
    #expect(try first.accounts(.all).accounts.count == 2)
    #expect(try second.accounts(.all).accounts.count == 2)
    try first.signOut([Person.ada.id])
    #expect(try second.signOut([Person.bob.id]).isClean)
    try second.importCache(Person.ada.cache("-2"))
    #expect(try first.tokenText(account: Person.ada.id) == "fake-at-ada@contoso.example-2")
    #expect(try vault.keyringGenerations(try first.keyID().groupID) == [3])
    #expect(try usernames(vault) == ["ada@contoso.example"])
  }

  @Test func concurrentRotationsImportsAndReadsLoseNothing() throws {
    let vault = try vault()
    let failures = Mutex<[String]>([])
    let people = (0..<6).map { number in
      Person(
        id: "0000000\(number)-1111-4111-8111-111111111111.\(Person.contoso)",
        username: "user\(number)@contoso.example", realm: Person.contoso)
    }
    DispatchQueue.concurrentPerform(iterations: people.count) { number in
      let session = vault.groupSession()
      for round in 0..<6 {
        do {
          try session.importCache(people[number].cache("-\(round)"))
          let text = try session.tokenText(account: people[number].id)
          if text != "fake-at-\(people[number].username)-\(round)" {
            failures.withLock { $0.append("\(number)/\(round) read \(text)") }
          }
          if round < 5 {
            let report = try session.signOut([people[number].id])
            if report.accounts.count != 1 { failures.withLock { $0.append("count") } }
          }
        } catch {
          failures.withLock { $0.append("\(number)/\(round): \(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let session = vault.groupSession()
    #expect(try session.accounts(.all).accounts.count == 8)
    #expect(try session.header().generation == 31)
    #expect(try vault.keyringGenerations(try session.keyID().groupID) == [31])
    #expect(try session.read { try $0.verify() }.isSound)
  }
}
