import Foundation
import Synchronization
import Testing
@testable import TokenVault
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultSystem
import TokenVaultTestSupport

/// Refreshes of a token while the group gets new keys, and its accounts new tags.
@Suite(.timeLimit(.minutes(10))) struct RenewalDuringRefreshTests {
  private static let user = "ada@contoso.example"

  private func expired() throws -> SignInBench {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    try bench.advance(by: 4000)
    return bench
  }

  private let request = TokenRequest(
    scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client)

  @Test func aRekeyWaitsForARefreshInFlight() throws {
    let bench = try expired()
    try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": 1500}"#)
    let token = Mutex<Result<TokenResult, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let result = Result<TokenResult, any Error> { try bench.silent(of: Self.user) }
      token.withLock { $0 = result }
      ended.signal()
    }
    try bench.wait(for: "refreshRequests", 1)
    let session = bench.vault.groupSession()
    func generation() throws -> UInt64 { try GroupInspection(session).header().generation }
    let before = try generation()
    let busy = #expect(throws: VaultError.self) { try Rekey(session, patience: 20).run() }
    guard case .store(.busy, _)? = busy else {
      Issue.record("\(String(describing: busy))")
      return
    }
    #expect(try generation() == before)
    _ = try Rekey(session).run()
    #expect(try generation() == before + 1)
    ended.wait()
    let refreshed = try #require(token.withLock { $0 }).get()
    let stored = try bench.silent(of: Self.user)
    #expect(stored.isFromCache && stored.accessToken.reveal() == refreshed.accessToken.reveal())
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  /// A program that holds no lock of its own, or an older one, may have planned before.
  @Test func aResponseToAPlanFromBeforeARekeyIsStored() throws {
    let bench = try expired()
    let session = bench.vault.groupSession()
    func plan() throws -> SilentPlan.Refresh {
      guard
        case .refresh(let plan) = try SilentPlanner(session).plan(
          request, of: .named(Self.user), SilentOptions())
      else { throw StoreError.busy }
      return plan
    }
    let before = try plan()
    try bench.vault.groupSession().rekey()
    let storage = SignInStorage(session)
    let kept = try storage.keepRefreshToken(
      Redacted("rotated"), of: before.account, client: before.clientID,
      sent: before.tokens[0].secret)
    #expect(kept == .kept)
    #expect(try plan().tokens.map { $0.secret.reveal() } == ["rotated"])
    let wish = Throttle.Wish(
      isExact: false, until: session.now.advanced(by: 60), code: Throttle.outage, suberror: "")
    try storage.noteThrottle(wish, before, SilentOptions())
    #expect(try plan().throttle != nil)
    #expect(try storage.dropRefreshToken(Redacted("rotated"), before))
  }

  /// The lock that it waited for no longer stands for the account.
  @Test(arguments: [false, true]) func aRefreshThatWaitedForARekeyTakesTheLockOfTheNewTag(
    forced: Bool
  ) throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    if !forced { try bench.advance(by: 4000) }
    let session = bench.vault.groupSession()
    let account = try #require(try bench.accounts().first)
    let waits = DispatchSemaphore(value: 0)
    let token = Mutex<Result<TokenResult, any Error>?>(nil)
    let ended = DispatchSemaphore(value: 0)
    func offset() throws -> Int64 {
      let tag = try session.read { try $0.tag(of: account.identity) }
      return Int64(tag.prefix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    let former = try offset()
    let release = DispatchSemaphore(value: 0)
    let held = DispatchSemaphore(value: 0)
    // Another process refreshes under the former tag.
    Thread.detachNewThread {
      bestEffort("the test fails without the lock") {
        try FileLock.hold(
          session.configuration.refreshLockPath, offset: former, waiting: 0
        ) {
          held.signal()
          release.wait()
        }
      }
    }
    held.wait()
    Thread.detachNewThread { [request] in
      var options = SilentOptions()
      options.forceRefresh = forced
      let result = Result<TokenResult, any Error> {
        try Acquisition(bench.vault.groupSession(), platform: bench.platform) { event in
          if case .waitingForOtherProcess = event { waits.signal() }
        }.silent(request, of: .named(Self.user), options)
      }
      token.withLock { $0 = result }
      ended.signal()
    }
    waits.wait()
    // As a rekey does, without its locks.
    try session.withGroup { group in
      _ = try Renewal(session) { _, _ in }.run(group, custody: .secretService) { _ in }
    }
    let whileHeld = try FileLock.hold(
      session.configuration.refreshLockPath, offset: offset(), waiting: 0
    ) {
      release.signal()
      waits.wait()
      return try bench.provider.counter("refreshRequests")
    }
    #expect(whileHeld == 0)
    ended.wait()
    _ = try #require(token.withLock { $0 }).get()
    #expect(try bench.provider.counter("refreshRequests") == 1)
    #expect(try bench.silent(of: Self.user).isFromCache)
  }
}
