import Foundation
import Synchronization
import Testing
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

@testable import TokenVault

/// Refreshes during which another process keeps the group's file locked for longer than SQLite waits.
@Suite(.timeLimit(.minutes(10))) struct UnstoredTokenTests {
  private static let user = "ada@contoso.example"

  private func expired() throws -> SignInBench {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    try bench.advance(by: 4000)
    return bench
  }

  private func acquisition(
    _ bench: SignInBench, writer: @escaping @Sendable () throws -> Void,
    report: @escaping @Sendable (SignInEvent) -> Void = { _ in }
  ) -> Acquisition {
    var platform = bench.platform
    platform.transport = AfterRefresh(platform.transport, writer)
    return Acquisition(bench.vault.groupSession(), platform: platform, report: report)
  }

  private let request = TokenRequest(
    scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client)

  @Test func aBusyGroupIsNoticedBeforeTheRequestIsSent() throws {
    let bench = try expired()
    let writer = try PythonWriter(bench.vault.file().path)
    let error = try failure { try bench.silent(of: Self.user) }
    guard case .store(.busy, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(try bench.provider.counter("refreshRequests") == 0)
    writer.release()
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  @Test func aCommandTriesUntilTheGroupCanBeWritten() throws {
    let bench = try expired()
    let writer = Mutex<PythonWriter?>(nil)
    let waits = Mutex(0)
    var acquisition = acquisition(
      bench,
      writer: {
        let held = try PythonWriter(bench.vault.file().path)
        writer.withLock { $0 = held }
      },
      report: { event in
        guard case .retryingToStore = event else { return }
        waits.withLock { $0 += 1 }
        writer.withLock { $0?.release() }
      })
    acquisition.storingMilliseconds = 60_000
    #expect(try !acquisition.silent(request, of: .named(Self.user)).isFromCache)
    #expect(waits.withLock { $0 } == 1)
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aLibraryStoresTheTokenAtALaterCallOfItsProcess() throws {
    let bench = try expired()
    let writer = Mutex<PythonWriter?>(nil)
    let acquisition = acquisition(bench) {
      let held = try PythonWriter(bench.vault.file().path)
      writer.withLock { $0 = held }
    }
    let error = try failure { try acquisition.silent(request, of: .named(Self.user)) }
    guard case .refreshTokenNotStored(because: .store(.busy, _), let account, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(account.username == Self.user)
    let path = bench.vault.file().path
    #expect(UnstoredTokens.ofProcess.of(path).count == 1)
    writer.withLock { $0?.release() }
    // Any call of the process, over any session of the group.
    #expect(try bench.accounts().count == 1)
    #expect(UnstoredTokens.ofProcess.of(path).isEmpty)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aSignOutErasesATokenThatWasNotStored() throws {
    let bench = try expired()
    let writer = Mutex<PythonWriter?>(nil)
    let acquisition = acquisition(bench) {
      let held = try PythonWriter(bench.vault.file().path)
      writer.withLock { $0 = held }
    }
    #expect(try failure { try acquisition.silent(request, of: .named(Self.user)) } != nil)
    writer.withLock { $0?.release() }
    #expect(try bench.signOut([Self.user]).revocations.map(\.outcome) == [.revoked])
    #expect(UnstoredTokens.ofProcess.of(bench.vault.file().path).isEmpty)
    #expect(try bench.accounts().isEmpty)
  }
}

/// A Python process in a write transaction on an SQLite file, until it is released.
private final class PythonWriter: @unchecked Sendable {
  private let process = Process()
  private let input = Pipe()

  init(_ path: String) throws {
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = [
      "-c",
      """
      import sqlite3, sys
      group = sqlite3.connect(sys.argv[1], isolation_level=None)
      group.execute("BEGIN IMMEDIATE")
      print("writing", flush=True)
      sys.stdin.read()
      group.execute("ROLLBACK")
      """, path,
    ]
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(!output.fileHandleForReading.availableData.isEmpty)
  }

  deinit { release() }

  /// Ends the transaction and the process.
  func release() {
    do { try input.fileHandleForWriting.close() } catch { return }
    process.waitUntilExit()
  }
}
