import Foundation
import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

// Ends a wait for ever. The tests beside it block, and it takes its turn among them.
@Suite(.timeLimit(.minutes(10))) struct GroupChangesTests {
  private let vault: TestVault

  init() throws { vault = try TestVault() }

  @Test func onlyForeignCommitsChangeTheMark() throws {
    let (session, other) = (vault.groupSession(), vault.groupSession())
    #expect(try session.changeMark() == nil)
    try session.importCache(Person.ada.cache() + Person.bob.cache())
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

  /// Counts what a watching tool is told. It is known to watch once it was told of something.
  private actor Watcher {
    private(set) var told = 0
    private var waiting: [(Int, CheckedContinuation<Void, Never>)] = []

    func tell() {
      told += 1
      for (count, continuation) in waiting where told >= count { continuation.resume() }
      waiting.removeAll { told >= $0.0 }
    }

    func wait(for count: Int) async {
      if told >= count { return }
      await withCheckedContinuation { waiting.append((count, $0)) }
    }
  }

  @Test func aWatchReportsCreationCommitsAndDeletionUntilItIsCancelled() async throws {
    let watcher = Watcher()
    let watched = Vault(vault.configuration())
    let watching = Task {
      for try await _ in watched.changes() { await watcher.tell() }
    }
    let other = vault.groupSession()
    try other.importCache(Person.ada.cache())
    // Until the first is told, the watch may not have begun.
    let early = Task {
      while await watcher.told == 0 {
        try vault.groupSession().switchTo("1111")
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    await watcher.wait(for: 1)
    try await early.value
    let before = await watcher.told
    try other.signOut([Person.ada.id])
    await watcher.wait(for: before + 1)
    #expect(try await watched.accounts().emptyReason == .noAccounts)
    let beforeDeletion = await watcher.told
    try other.delete()
    await watcher.wait(for: beforeDeletion + 1)
    #expect(try await watched.accounts().emptyReason == .groupDoesNotExist)
    watching.cancel()
    try await watching.value
  }
}
