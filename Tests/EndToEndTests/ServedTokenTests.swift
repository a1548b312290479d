import Dispatch
import Foundation
import Synchronization
import Testing
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVault

/// A library that has served a token serves it again from memory, for as long as no other process has
/// changed the group.
@Suite(.timeLimit(.minutes(10))) struct ServedTokenTests {
  private let machine: Machine
  private let clock = Clock()
  private let request = TokenRequest(scopes: "User.Read")

  private final class Clock: Sendable {
    let passed = Mutex<Int64>(0)
  }

  init() throws {
    machine = try Machine()
    try machine.succeed("import", "-", input: Person.cache(.ada, .bob))
  }

  /// The group, as a program that runs for days has it open.
  private func opened() throws -> Vault {
    var configuration = try VaultConfiguration(environment: machine.session.environment)
    configuration.isAdministrator = true
    // The process of the tests is none to protect: tests read its memory.
    configuration.protectsProcess = false
    let now = configuration.now
    configuration.now = { [clock] in now().advanced(by: clock.passed.withLock { $0 }) }
    return Vault(configuration)
  }

  private func text(_ vault: Vault, _ account: Account) async throws -> String {
    try await vault.token(request, for: account).accessToken.revealText()
  }

  /// Runs the jobs of one actor, and counts them.
  private final class CountingExecutor: SerialExecutor {
    let jobs = Mutex(0)
    private let queue = DispatchQueue(label: "counting")

    func enqueue(_ job: consuming ExecutorJob) {
      jobs.withLock { $0 += 1 }
      let job = UnownedJob(job)
      queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor Caller {
    nonisolated let executor = CountingExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      unsafe executor.asUnownedSerialExecutor()
    }

    /// How often the caller had to be resumed during calls that return this token.
    func resumptions(
      _ token: String, _ calls: [nonisolated(nonsending) @Sendable () async throws -> TokenResult]
    )
      async throws -> Int
    {
      let before = executor.jobs.withLock { $0 }
      for call in calls { #expect(try await call().accessToken.revealText() == token) }
      return executor.jobs.withLock { $0 } - before
    }
  }

  /// A transaction of another thread would delay a read of the group.
  @Test func aTokenIsServedAgainOnTheCallersThreadWhileTheGroupIsInUse() async throws {
    let vault = try opened()
    let account = try await vault.account(username: Person.ada.username)
    var configuration = ApplicationConfiguration(
      clientID: Person.client,
      authority: try Authority("https://login.microsoftonline.com/\(Person.ada.tenant)"))
    configuration.tokenExpirationBuffer = 60
    let app = PublicClientApplication(configuration, vault: vault.session.configuration)
    let silent = SilentRequest(scopes: "User.Read", account: account)
    #expect(try await text(vault, account) == Person.ada.access)
    let first = try await app.acquireTokenSilent(silent)
    let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let groups = [vault.session, app.vault.session]
    Thread.detachNewThread {
      do {
        try groups[0].withGroup { _ in
          try groups[1].withGroup { _ in
            held.signal()
            release.wait()
          }
        }
      } catch { Issue.record(error) }
    }
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        held.wait()
        continuation.resume()
      }
    }
    let request = request
    let resumptions = try await Caller().resumptions(
      Person.ada.access,
      [
        { try await vault.token(request, for: account) },
        { try await app.acquireTokenSilent(silent) },
      ])
    #expect(resumptions == 0)
    let again = try await app.acquireTokenSilent(silent)
    #expect(again.isFromCache && again.account == first.account && again.scopes == first.scopes)
    #expect(again.expiresOn == first.expiresOn && again.authority == first.authority)
    release.signal()
  }

  @Test func aSignOutInAnotherProcessEndsServingAtOnce() async throws {
    let vault = try opened()
    let ada = try await vault.account(username: Person.ada.username)
    let bob = try await vault.account(username: Person.bob.username)
    for _ in 0..<2 {
      #expect(try await text(vault, ada) == Person.ada.access)
      #expect(try await text(vault, bob) == Person.bob.access)
    }
    try machine.succeed("sign-out", "--no-revoke", Person.ada.username)
    let error = await #expect(throws: VaultError.self) { try await text(vault, ada) }
    #expect(error?.isNoAccount == true)
    for _ in 0..<2 { #expect(try await text(vault, bob) == Person.bob.access) }
    try machine.succeed("sign-out", "--no-revoke", "--all", "--yes")
    await #expect(throws: VaultError.self) { try await text(vault, bob) }
  }

  /// The command line writes, so each of its commands also empties the log when it ends.
  @Test func aTokenThatAnotherProcessReplacedIsNotServed() async throws {
    let vault = try opened()
    let account = try await vault.account(username: Person.ada.username)
    for mark in ["-1", "-2", "-3"] {
      for _ in 0..<2 { _ = try await text(vault, account) }
      try machine.succeed("import", "-", input: Person.cache(.ada, mark: mark))
      for _ in 0..<2 { #expect(try await text(vault, account) == Person.ada.access + mark) }
    }
    // The current account is not named in the request, and is part of the group.
    try machine.succeed("switch", Person.ada.username)
    for _ in 0..<2 { #expect(try await vault.token(request).account.identity == account.identity) }
    try machine.succeed("switch", Person.bob.username)
    #expect(try await vault.token(request).account.username == Person.bob.username)
  }

  @Test func aDeletedOrReplacedGroupIsNoticedAtOnce() async throws {
    let vault = try opened()
    let account = try await vault.account(username: Person.ada.username)
    for _ in 0..<2 { #expect(try await text(vault, account) == Person.ada.access) }
    // No commit precedes it, and the connection of this process still sees the old file.
    try machine.succeed("group", "delete", Machine.group, "--yes")
    await #expect(throws: VaultError.self) { try await text(vault, account) }
    try machine.succeed("import", "-", input: Person.cache(.ada, mark: "-new"))
    for _ in 0..<2 { #expect(try await text(vault, account) == Person.ada.access + "-new") }
    try machine.restore(try machine.image())
    for _ in 0..<2 { #expect(try await text(vault, account) == Person.ada.access + "-new") }
  }

  @Test func timeEndsServingAsItEndsTheToken() async throws {
    let vault = try opened()
    let account = try await vault.account(username: Person.ada.username)
    for _ in 0..<2 { #expect(try await text(vault, account) == Person.ada.access) }
    clock.passed.withLock { $0 = 86_400 - 400 }
    #expect(try await text(vault, account) == Person.ada.access)
    // Less than five minutes are left.
    clock.passed.withLock { $0 = 86_400 - 200 }
    await #expect(throws: VaultError.self) { try await text(vault, account) }
    // A clock that is set back proves nothing about the token.
    clock.passed.withLock { $0 = -3_600 }
    await #expect(throws: VaultError.self) { try await text(vault, account) }
    clock.passed.withLock { $0 = 0 }
    #expect(try await text(vault, account) == Person.ada.access)
    var longer = request
    longer.minimumValidity = 100_000
    await #expect(throws: VaultError.self) { try await vault.token(longer, for: account) }
  }

  /// The subjects are equal strings in Swift, and two people for their provider.
  @Test func subjectsOfDifferentBytesGetTheirOwnTokens() async throws {
    let subjects = ["jos\u{e9}", "jose\u{301}"]
    try #require(subjects[0] == subjects[1])
    let vault = try opened()
    let now = Int(Date().timeIntervalSince1970)
    for subject in subjects {
      let cache = """
        {"Account": {"a": {"home_account_id": "\(subject)", "environment": "id.example",
        "realm": "", "local_account_id": "\(subject)", "username": "jose@id.example",
        "authority_type": "OIDC"}},
        "AccessToken": {"t": {"credential_type": "AccessToken", "home_account_id": "\(subject)",
        "environment": "id.example", "client_id": "c", "realm": "", "target": "User.Read",
        "secret": "token of \(subject.utf8.count) bytes", "cached_at": "\(now)",
        "expires_on": "\(now + 3600)"}}}
        """
      _ = try await vault.importCache(try MSALCache(json: Array(cache.utf8)))
    }
    let accounts = try await vault.accounts(AccountQuery(environment: "id.example")).accounts
    try #require(accounts.count == 2)
    for account in accounts + accounts {
      #expect(
        try await text(vault, account) == "token of \(account.identifier.utf8.count) bytes")
    }
  }

  @Test func manyThreadsAreServedWhileAnotherProcessCommits() async throws {
    let vault = try opened()
    let account = try await vault.account(username: Person.ada.username)
    let script = """
      for i in 1 2 3 4 5 6; do $T switch \(Person.bob.username); $T switch \(Person.ada.username); done
      $T sign-out --no-revoke \(Person.ada.username)
      """
    let threads = 4
    let (firstTokens, firstToken) = AsyncStream.makeStream(of: Void.self)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<threads {
        group.addTask {
          defer { firstToken.yield() }
          do {
            var token = try await text(vault, account)
            firstToken.yield()
            while true {
              #expect(token == Person.ada.access)
              // A served token suspends nothing, and the other tasks need the threads too.
              await Task.yield()
              token = try await text(vault, account)
            }
          } catch let error as VaultError where error.isNoAccount {}
        }
      }
      // The other process starts when each task has been served: on a busy machine it could otherwise
      // end before.
      var served = firstTokens.makeAsyncIterator()
      for _ in 0..<threads { await served.next() }
      let other = try machine.start(
        ["/bin/bash", "-c", script], environment: ["T": try built("tokenvault")])
      #expect(try other.wait().status == 0)
      try await group.waitForAll()
    }
  }

  /// A program keeps nothing in plaintext of a token that it has released. The probe's allocator
  /// overwrites what is freed, so that only the memory in use counts.
  @Test func aServedTokenIsSealedBetweenCalls() throws {
    let secret = String(repeating: Person.eve.access, count: 80)
    let cache = Person.cache(.eve).replacing("\"\(Person.eve.access)\"", with: "\"\(secret)\"")
    try machine.succeed("import", "-", input: cache)
    let ran = try machine.shell(
      """
      mkfifo in out
      "$PROBE" serve \(Person.eve.username) <in >out & pid=$!
      exec 8>in 9<out
      search() { python3 - $pid '\(Person.eve.access.prefix(10))' \
        '\(Person.eve.access.dropFirst(10))' <<'END'
      import sys
      needle = (sys.argv[2] + sys.argv[3]).encode()
      found = 0
      with open(f"/proc/{sys.argv[1]}/maps") as maps, \
           open(f"/proc/{sys.argv[1]}/mem", "rb", 0) as memory:
          for line in maps:
              place, mode, _, _, _, *name = line.split()
              if not mode.startswith("rw") or name[:1] == ["[vvar]"]:
                  continue
              start, end = (int(end, 16) for end in place.split("-"))
              memory.seek(start)
              found += memory.read(end - start).count(needle)
      print("found" if found else "nothing")
      END
      }
      for step in hold drop hold drop; do
        echo $step >&8; read -r done <&9; echo "$done: $(search)"
      done
      exec 8>&-
      wait
      """,
      environment: [
        "PROBE": try built("vault-probe"),
        "GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0",
      ])
    let length = secret.utf8.count
    #expect(
      ran.output
        == String(
          repeating: "holds \(length): found\ndropped: nothing\n", count: 2), "\(ran.errors)")
  }
}

extension VaultError {
  fileprivate var isNoAccount: Bool {
    if case .noAccount = self { true } else { false }
  }
}
