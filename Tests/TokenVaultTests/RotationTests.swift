import Foundation
import TokenVaultGroupStore
import TokenVaultKeyCustody
import Synchronization
import Testing
import TokenVaultTestSupport
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVault

@Suite("Moving a group to its next key")
struct RotationTests {
  /// A vault with Ada and Bob, with a session of its own where the keyring is going to fail.
  private func vault(own: Bool = false) throws -> TestVault {
    let vault = try TestVault(session: own ? PrivateSecretService() : nil)
    try vault.core().importCache(Person.ada.cache() + Person.bob.cache())
    return vault
  }

  private func usernames(_ vault: TestVault) throws -> [String] {
    try vault.core().accounts(.all).usernames
  }

  private static let both = ["ada@contoso.example", "Bob@fabrikam.example"]

  @Test("with a locked keyring nothing changes, and the error says locked")
  func locked() throws {
    let vault = try vault(own: true)
    let core = vault.core()
    _ = try core.accounts(.all)
    try vault.session.lock()
    let error = #expect(throws: VaultError.self) { try core.signOut([Person.ada.id]) }
    #expect(error?.custody == .locked)
    #expect(try core.accounts(.all).usernames == Self.both)
    let cold = #expect(throws: VaultError.self) { try vault.core().accounts(.all) }
    #expect(cold?.custody == .locked)
    try vault.session.unlock()
    #expect(try vault.keyringGenerations(try core.keyID().groupID) == [1])
    #expect(try core.signOut([Person.ada.id]).isClean)
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
  }

  @Test("with a frozen or dead daemon nothing changes, and the group opens when it is back")
  func daemonGone() throws {
    let vault = try vault(own: true)
    let core = vault.core()
    _ = try core.accounts(.all)
    try vault.session.freezeDaemon()
    let frozen = #expect(throws: VaultError.self) { try core.signOut([Person.ada.id]) }
    #expect(frozen?.custody == .timedOut)
    try vault.session.thawDaemon()
    #expect(try core.accounts(.all).usernames == Self.both)
    try vault.session.killDaemon()
    let dead = #expect(throws: VaultError.self) { try core.signOut([Person.ada.id]) }
    #expect(dead?.custody == .noService)
    #expect(try core.accounts(.all).usernames == Self.both)
    #expect(try core.header().generation == 1)
  }

  /// A keyring that fails after the commit leaves the sign-out done, the report unclean, and the
  /// rest to the next open.
  @Test("a daemon that dies after the commit: signed out, told so, finished by the next open")
  func failureAfterCommit() throws {
    let vault = try vault(own: true)
    let core = vault.core()
    let id = try core.keyID()
    let outcome = try core.withGroup { group in
      try FileLock.hold(core.configuration.lockPath, waiting: 0) {
        try Rotation(core.configuration).run(
          group, finally: { _ in try vault.session.freezeDaemon() },
          { [try core.lookup.stored(.named(Person.ada.id), in: $0)] })
      }
    }
    #expect(outcome.oldKeyFailure as? CustodyError == .timedOut)
    #expect(outcome.report.erased == 1)
    #expect(try core.accounts(.all).usernames == ["Bob@fabrikam.example"])
    try vault.session.thawDaemon()
    #expect(try vault.keyringGenerations(id.groupID) == [1, 2])
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try core.read { $0.state.pendingDeletions } == [])
  }

  @Test("a change that fails takes its new key back")
  func failedChange() throws {
    let vault = try vault()
    let core = vault.core()
    let id = try core.keyID()
    #expect(throws: VaultError.self) {
      try core.withGroup { group in
        _ = try FileLock.hold(core.configuration.lockPath, waiting: 0) {
          try Rotation(core.configuration).run(
            group, finally: { _ in throw StoreError.diskFull }, { _ in [] })
        }
      }
    }
    #expect(try vault.keyringGenerations(id.groupID) == [1])
    #expect(try usernames(vault) == Self.both)
  }

  @Test("a key that an interrupted rotation left is replaced, and never taken for the group's")
  func orphanKey() throws {
    let vault = try vault()
    let core = vault.core()
    let id = try core.keyID()
    try vault.custodian.store(try SecretBytes.random(count: 32), as: try core.keyID(2))
    #expect(try usernames(vault) == Self.both)
    #expect(try core.signOut([Person.ada.id]).isClean)
    #expect(try vault.keyringGenerations(id.groupID) == [2])
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
  }

  @Test("a lost keyring write after a power cut: the bridge leads on, erased stays erased")
  func powerCut() throws {
    let vault = try vault()
    let core = vault.core()
    let old = try core.keyID()
    let key = try vault.custodian.key(old)
    try core.signOut([Person.ada.id])
    try core.signOut([Person.bob.id])
    try core.importCache(Person.bob.cache("-2"))
    core.close()
    // What the daemon had not written yet: three generations on, its disk has the first key.
    try vault.custodian.delete(try core.keyID())
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "second boot" }

    func opens(_ place: Comment) throws {
      #expect(try usernames(vault) == ["Bob@fabrikam.example"], place)
      #expect(try vault.keyringGenerations(old.groupID) == [3], place)
    }
    func deletionChecks() throws -> [UInt64] {
      let locked = try LockedGroup(path: vault.file().path)
      return try locked.generationsWithWrappedSuccessorKey()
    }
    try opens("first power cut")
    // The key was stored anew in this boot, so the next power cut can take it back again.
    #expect(try deletionChecks() == [1, 2])
    try vault.custodian.delete(try core.keyID())
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "third boot" }
    try opens("second power cut")
    vault.boot.withLock { $0 = "fourth boot" }
    try opens("no power cut")
    #expect(try deletionChecks() == [])
  }

  @Test("a power cut that brings back the key of a rotation that never was: the bridge leads on")
  func powerCutToAnOrphanKey() throws {
    let vault = try vault()
    let core = vault.core()
    let old = try core.keyID()
    let key = try vault.custodian.key(old)
    try core.signOut([Person.ada.id])
    let id = try core.keyID()
    core.close()
    try vault.custodian.delete(id)
    try vault.custodian.store(try SecretBytes.random(count: 32), as: id)
    try vault.custodian.store(key, as: old)
    vault.boot.withLock { $0 = "second boot" }
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try vault.keyringGenerations(old.groupID) == [2])
  }

  @Test("the kernel keyring has no former key any more when a rotation commits")
  func kernelKeyBeforeCommit() throws {
    let vault = try TestVault(
      manifest: GroupManifest(
        name: .universalStorage, title: "test", members: [], custody: .passphrase,
        deviceMode: .private))
    let core = vault.core {
      $0.passphrase = { _ in try SecretBytes(copying: Array("fake-passphrase".utf8)) }
    }
    try core.importCache(Person.ada.cache())
    try core.unlock(seconds: 600)
    let old = try core.keyID()
    _ = try core.withGroup { group in
      try FileLock.hold(core.configuration.lockPath, waiting: 0) {
        try Rotation(core.configuration).run(
          group,
          finally: { _ in
            let left = try KernelKeyring.secondsLeft(old)
            #expect(left == nil)
          }, { _ in [] })
      }
    }
    #expect((try KernelKeyring.secondsLeft(try core.keyID()) ?? 0) > 590)
    _ = try core.lock()
  }

  @Test("bridges stand until a later boot has read the new key")
  func laterBoot() throws {
    let vault = try vault()
    try vault.core().signOut([Person.ada.id])
    func deletionChecks() throws -> [UInt64] {
      let locked = try LockedGroup(path: vault.file().path)
      return try locked.generationsWithWrappedSuccessorKey()
    }
    _ = try usernames(vault)
    #expect(try deletionChecks() == [1])
    vault.boot.withLock { $0 = "second boot" }
    #expect(try usernames(vault) == ["Bob@fabrikam.example"])
    #expect(try deletionChecks() == [])
  }

  @Test("a vault that fell behind follows, and never deletes the key in force")
  func staleVault() throws {
    let vault = try vault()
    let (first, second) = (vault.core(), vault.core())
    #expect(try first.accounts(.all).accounts.count == 2)
    #expect(try second.accounts(.all).accounts.count == 2)
    try first.signOut([Person.ada.id])
    #expect(try second.signOut([Person.bob.id]).isClean)
    try second.importCache(Person.ada.cache("-2"))
    #expect(try first.tokenText() == "fake-at-ada@contoso.example-2")
    #expect(try vault.keyringGenerations(try first.keyID().groupID) == [3])
    #expect(try usernames(vault) == ["ada@contoso.example"])
  }

  @Test("rotations, imports and reads from many threads lose nothing, and leave one key")
  func manyThreads() throws {
    let vault = try vault()
    let failures = Mutex<[String]>([])
    let people = (0..<6).map { number in
      Person(
        id: "0000000\(number)-1111-4111-8111-111111111111.\(Person.contoso)",
        username: "user\(number)@contoso.example", realm: Person.contoso)
    }
    DispatchQueue.concurrentPerform(iterations: people.count) { number in
      let core = vault.core()
      for round in 0..<6 {
        do {
          try core.importCache(people[number].cache("-\(round)"))
          let text = try core.tokenText(account: people[number].id)
          if text != "fake-at-\(people[number].username)-\(round)" {
            failures.withLock { $0.append("\(number)/\(round) read \(text)") }
          }
          if round < 5 {
            let report = try core.signOut([people[number].id])
            if report.accounts.count != 1 { failures.withLock { $0.append("count") } }
          }
        } catch {
          failures.withLock { $0.append("\(number)/\(round): \(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let core = vault.core()
    #expect(try core.accounts(.all).accounts.count == 8)
    #expect(try core.header().generation == 31)
    #expect(try vault.keyringGenerations(try core.keyID().groupID) == [31])
    #expect(try core.read { try $0.verify() }.isSound)
  }
}
