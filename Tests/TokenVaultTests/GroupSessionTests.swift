import Foundation
import Synchronization
import Testing
import TokenVaultGroupStore
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(10))) struct GroupSessionTests {
  private let vault: TestVault

  init() throws {
    vault = try TestVault()
    try vault.groupSession().importCache(Person.ada.cache())
  }

  /// A tool that links the library, which is not an administrator.
  private func tool() -> GroupSession { vault.groupSession { $0.isAdministrator = false } }

  private func admit(_ members: [String]) throws {
    try vault.save(
      GroupManifest(
        name: .universalStorage, title: "test",
        members: members.compactMap(GroupManifest.Member.init), custody: .secretService,
        deviceMode: .private))
  }

  /// The error contains the path of its executable.
  @Test func everyCallRefusesAToolThatIsNotAMember() throws {
    let path = try Membership.executable()
    #expect(path == URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path)
    try admit(["someone-else", path + "x", "/usr/bin/" + path.split(separator: "/").last!])
    let calls: [(GroupSession) throws -> Void] = [
      { _ = try $0.accounts(.all) }, { _ = try $0.currentAccount() },
      { _ = try $0.currentAccount(client: "c") }, { _ = try $0.tokenText() },
      { try $0.switchTo("1111") }, { try $0.setAlias("a", of: "1111") },
      { try $0.importCache(Person.bob.cache()) }, { _ = try $0.exportCache(.all) },
      { try $0.signOut(["1111"]) }, { try $0.signOut(["1111"], client: "c") },
      { try $0.signOutAll() }, { try $0.delete() }, { try $0.rekey() },
      { _ = try $0.makeRecoveryCode() }, { try $0.unlock(seconds: 60) },
      { _ = try $0.changeMark() },
    ]
    for (index, call) in calls.enumerated() {
      let error = #expect(throws: VaultError.self, "call \(index)") { try call(tool()) }
      guard case .notAMember(path, group: .universalStorage)? = error else {
        Issue.record("call \(index): \(String(describing: error))")
        continue
      }
    }
    #expect(try vault.groupSession().accounts(.all).usernames == ["ada@contoso.example"])
  }

  @Test(
    .parity(
      "MSALCacheConfig.trustedApplications",
      "MSALCacheConfig.createTrustedApplicationListFromPaths:error:"))
  func aMemberIsAdmittedByPathOrByName() throws {
    let path = try Membership.executable()
    try admit([path])
    #expect(try tool().accounts(.all).accounts.count == 1)
    try admit([String(path.split(separator: "/").last!)])
    #expect(try tool().accounts(.all).accounts.count == 1)
    try admit([])
    #expect(throws: VaultError.self) { try tool().accounts(.all) }
  }

  @Test func theAdministratorListsAndSignsOutOfAGroupWithoutAManifest() throws {
    let group = GroupName("org.example.gone")
    let manifests = Manifests(directories: [vault.manifestDirectory.path])
    try manifests.save(
      GroupManifest(
        name: group, title: "t", members: [], custody: .secretService, deviceMode: .private))
    try vault.groupSession(group).importCache(Person.ada.cache())
    try manifests.remove(group)
    #expect(try vault.groupSession(group).accounts(.all).accounts.count == 1)
    #expect(try vault.groupSession(group).signOut([Person.ada.id]).isClean)
    try vault.groupSession(group).delete()
    let error = #expect(throws: VaultError.self) { try vault.groupSession(group).create() }
    #expect(error?.name == "noManifest")
  }

  @Test func theVaultActorPerformsTheCallsOfTheSession() async throws {
    let shared = Vault(vault.configuration())
    #expect(try await shared.accounts().usernames == ["ada@contoso.example"])
    #expect(try await shared.account(username: "ADA@contoso.example").identifier == Person.ada.id)
    #expect(try await shared.account(identifier: Person.ada.id).isSignedIn)
    #expect(try await shared.switchTo(try await shared.account(named: "1111")).isCurrent)
    let request = TokenRequest(scopes: ScopeSet(["User.Read"]))
    #expect(
      try await shared.token(request).accessToken.reveal()
        == Array("fake-at-ada@contoso.example".utf8))
    await #expect(throws: VaultError.self) { try await shared.account(identifier: "") }
    #expect(try await shared.signOut([try await shared.account(named: "1111")]).isClean)
    #expect(try await shared.accounts().emptyReason == .noAccounts)
  }

  /// Releasing the open group wipes its keys.
  @Test(arguments: [true, false])
  func aSessionDropsFormerKeysAtItsNextCall(groupStays: Bool) throws {
    let session = vault.groupSession()
    weak var opened: UnlockedGroup?
    try session.withGroup { opened = $0 }
    #expect(opened != nil)
    if groupStays {
      try vault.groupSession().signOut([Person.ada.id])
      #expect(try session.accounts(.all).accounts.isEmpty)
    } else {
      try vault.groupSession().delete()
      #expect(try session.accounts(.all).emptyReason == .groupDoesNotExist)
    }
    #expect(opened == nil)
  }

  /// A thread that waits for another process must not keep the threads that share its session from
  /// reading; the other way round, two threads could wait for each other.
  @Test func aRekeyThatWaitsForTheGroupsLockDoesNotBlockReads() throws {
    let session = vault.groupSession()
    let (started, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let result = Mutex<Result<VaultError?, any Error>?>(nil)
    try FileLock.hold(session.configuration.lockPath, waiting: 0) { () throws -> Void in
      Thread.detachNewThread {
        started.signal()
        let outcome = Result<VaultError?, any Error> { try Rekey(session).changeKey().left }
        result.withLock { $0 = outcome }
        ended.signal()
      }
      started.wait()
      for _ in 0..<500 { #expect(try session.accounts(.all).accounts.count == 1) }
      // It is still waiting for the lock.
      #expect(result.withLock { $0 == nil })
    }
    ended.wait()
    let left = try #require(result.withLock { $0 }).get()
    #expect(left == nil)
    #expect(try session.accounts(.all).usernames == ["ada@contoso.example"])
  }
}
