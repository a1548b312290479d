import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

// The limit ends an endless wait. It is generous because the tests that run at the same time block
// threads of the pool that this suite waits for.
@Suite(.timeLimit(.minutes(10))) struct GroupChangesTests {
  private let vault: TestVault

  init() throws { vault = try TestVault() }

  @Test func onlyForeignCommitsChangeTheMark() throws {
    let (session, other) = (vault.groupSession(), vault.groupSession())
    #expect(try session.changeMark() == nil)
    let editor = Person.ada.refresh("fake-rt-editor", client: Clients.editor)
    try session.importCache(
      Person.ada.cache() + Person.bob.cache() + MSALCache(tokens: [editor]))
    let made = try #require(try session.changeMark())
    #expect(made.isOwnWork)
    try session.switchTo("1111")
    try session.signOut([Person.bob.id])
    try session.signOut([Person.ada.id], client: Clients.cli)
    session.close()
    #expect(try session.changeMark() == made)
    try other.switchTo("1111")
    let after = try #require(try session.changeMark())
    #expect(after != made && !after.isOwnWork)
    try session.rekey()
    #expect(try session.changeMark() == after)
    #expect(try session.accounts(.all).accounts.count == 1)
    _ = try session.currentAccount(client: Clients.editor)
    #expect(try session.changeMark() == after)
    try other.delete()
    #expect(try session.changeMark() == nil)
    try other.importCache(Person.ada.cache())
    #expect(try session.changeMark()?.isOwnWork == false)
  }

  /// Counts the changes that a watching tool receives. The first shows that the watch has begun.
  private actor Watcher {
    private(set) var received = 0
    private var waiting: [(Int, CheckedContinuation<Void, Never>)] = []

    func receive() {
      received += 1
      for (count, continuation) in waiting where received >= count { continuation.resume() }
      waiting.removeAll { received >= $0.0 }
    }

    func wait(for count: Int) async {
      if received >= count { return }
      await withCheckedContinuation { waiting.append((count, $0)) }
    }
  }

  @Test func aWatchReportsCreationCommitsAndDeletionUntilItIsCancelled() async throws {
    let watcher = Watcher()
    let watched = Vault(vault.configuration())
    let watching = Task {
      for try await _ in watched.changes() { await watcher.receive() }
    }
    let other = vault.groupSession()
    try other.importCache(Person.ada.cache())
    // Changes the group until the watch reports one: the watch may not have begun yet.
    let early = Task {
      while await watcher.received == 0 {
        try vault.groupSession().switchTo("1111")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    await watcher.wait(for: 1)
    try await early.value
    let before = await watcher.received
    try other.signOut([Person.ada.id])
    await watcher.wait(for: before + 1)
    #expect(try await watched.accounts().emptyReason == .noAccounts)
    let beforeDeletion = await watcher.received
    try other.delete()
    await watcher.wait(for: beforeDeletion + 1)
    #expect(try await watched.accounts().emptyReason == .groupDoesNotExist)
    watching.cancel()
    try await watching.value
  }
}
