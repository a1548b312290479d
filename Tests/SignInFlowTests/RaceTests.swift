import Foundation
import TokenVaultSignIn
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Changes to an account by others while a refresh is in flight.
@Suite(.timeLimit(.minutes(10))) struct RaceTests {
  private static let user = "ada@contoso.example"

  /// Runs `interruption` once, after the provider has answered a refresh and before the response is
  /// read.
  private final class Interrupted: BlockingTransport {
    private let base: any BlockingTransport
    private let interruption: Mutex<(@Sendable () throws -> Void)?>

    init(_ base: any BlockingTransport, _ interruption: @escaping @Sendable () throws -> Void) {
      self.base = base
      self.interruption = Mutex(interruption)
    }

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      let answer = try base.send(request, cancellation)
      let isRefresh = String(decoding: request.body ?? [], as: UTF8.self)
        .contains("grant_type=refresh_token")
      guard isRefresh else { return answer }
      let now = interruption.withLock { interruption in
        defer { interruption = nil }
        return interruption
      }
      do { try now?() } catch { throw .other(code: -1) }
      return answer
    }
  }

  private func silent(
    _ bench: SignInBench, during interruption: @escaping @Sendable () throws -> Void
  ) throws -> TokenResult {
    var platform = bench.platform
    platform.transport = Interrupted(platform.transport, interruption)
    return try Acquisition(bench.vault.groupSession(), platform: platform).silent(
      TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
      of: .named(Self.user))
  }

  private func expired() throws -> SignInBench {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    try bench.advance(by: 4000)
    return bench
  }

  @Test func aSignOutDuringARefreshWins() throws {
    for client in [nil, ProviderProcess.client] {
      let bench = try expired()
      let error = try failure {
        try silent(bench) {
          var options = SignOutOptions()
          options.clientID = client
          _ = try bench.signOut([Self.user], options)
        }
      }
      #expect(error?.reason == .signedOut)
      #expect(try bench.accounts().isEmpty)
    }
  }

  /// Another process stores a newer refresh token when the sign-out has already read the account.
  @Test func aTokenThatARefreshStoresDuringASignOutIsRevoked() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    let stored = Mutex<[String]>([])
    let session = bench.vault.groupSession { configuration in
      // The sign-out reads this between its first read and its transaction.
      configuration.bootIdentifier = {
        guard stored.withLock({ $0.isEmpty }) else { return "first boot" }
        do {
          _ = try bench.silent(of: Self.user) { $0.forceRefresh = true }
          let tokens = try CacheExport(bench.vault.groupSession()).run(.all).tokens
          stored.withLock {
            $0 = tokens.filter { $0.credential.kind == .refreshToken }.map { $0.secret.reveal() }
          }
        } catch { Issue.record("\(error)") }
        return "first boot"
      }
    }
    var platform = bench.platform
    let recorder = Recorder(platform.transport)
    platform.transport = recorder
    let report = try Revocation(Acquisition(session, platform: platform))
      .signOut(.accounts([.named(Self.user)]))
    #expect(report.revocations.map(\.outcome) == [.revoked])
    let newer = try #require(stored.withLock { $0 }.first)
    #expect(recorder.bodies.withLock { $0 }.contains { $0.contains("token=\(newer)") })
  }

  /// Records the bodies of all requests.
  private final class Recorder: BlockingTransport {
    let bodies = Mutex<[String]>([])
    private let base: any BlockingTransport

    init(_ base: any BlockingTransport) { self.base = base }

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      bodies.withLock { $0.append(String(decoding: request.body ?? [], as: UTF8.self)) }
      return try base.send(request, cancellation)
    }
  }

  @Test func aSignInDuringARefreshWins() throws {
    let bench = try expired()
    let signedIn = Mutex<TokenResult?>(nil)
    let token = try silent(bench) {
      let result = try bench.signIn(as: Self.user)
      signedIn.withLock { $0 = result }
    }
    #expect(token.accessToken.reveal() == signedIn.withLock { $0?.accessToken.reveal() })
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func theReplacementOfARefusedTokenIsKept() throws {
    let bench = try expired()
    try bench.provider.fault(
      #"{"grant": "refresh_token", "error": "invalid_grant", "suberror": "bad_token"}"#)
    let token = try silent(bench) { try bench.signIn(as: Self.user) }
    #expect(token.isFromCache)
    #expect(try bench.accounts().first?.isRefreshTokenStored == true)
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  @Test func manyThreadsMakeOneRefresh() throws {
    let bench = try expired()
    let threads = (0..<16).map { _ in
      OtherThread { try bench.silent(of: Self.user).accessToken.reveal() }
    }
    #expect(Set(try threads.map { try $0.wait() }).count == 1)
    #expect(try bench.provider.counter("refreshes") == 1)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aSecondClientOfTheFamilyNeedsNoSignIn() throws {
    let bench = try SignInBench()
    let (one, two) = (ProviderProcess.familyClients[0], ProviderProcess.familyClients[1])
    try bench.signIn(as: Self.user, try bench.application(client: one))
    #expect(try !bench.silent(of: Self.user, client: two).isFromCache)
    #expect(try bench.silent(of: Self.user, client: two).isFromCache)
    for _ in 0..<2 {
      try bench.advance(by: 4000)
      for client in [one, two] {
        #expect(try !bench.silent(of: Self.user, client: client).isFromCache)
      }
    }
    #expect(try bench.provider.counter("reuses") == 0)
    // A client that signs out leaves the family's token to the other clients.
    var options = SignOutOptions()
    options.clientID = one
    let report = try bench.signOut([Self.user], options)
    #expect(report.revocations.isEmpty)
    #expect(try failure { try bench.silent(of: Self.user, client: one) }?.reason == .signedOut)
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user, client: two).isFromCache)
  }

  @Test func aClientOutsideTheFamilyGetsNoTokenAndDamagesNone() throws {
    let bench = try SignInBench()
    let family = ProviderProcess.familyClients[0]
    try bench.signIn(as: Self.user, try bench.application(client: family))
    let error = try failure { try bench.silent(of: Self.user) }
    #expect(error?.refusal?.suberror == "client_mismatch")
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user, client: family).isFromCache)
    // After its own sign-in the client is known to be in no family.
    try bench.signIn(as: Self.user)
    let before = try bench.provider.counter("refreshRequests")
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("refreshRequests") == before + 1)
  }

  @Test func aSharedDeviceHasOneAccountAndItsSignOutAppliesToAllClients() throws {
    let bench = try SignInBench()
    let device = bench.vault.home.appending(path: "etc")
    try FileManager.default.createDirectory(at: device, withIntermediateDirectories: true)
    try Data(#"{"deviceMode": "shared"}"#.utf8).write(to: device.appending(path: "device.json"))
    try bench.signIn(as: Self.user)
    bench.browser.hand.cookies = [:]
    guard
      case .sharedDeviceOccupied(let account)? = try failure(of: {
        try bench.signIn(as: "grace@contoso.example")
      })
    else {
      Issue.record("a second account")
      return
    }
    #expect(account.username == Self.user)
    // Tokens that cannot be stored are revoked at the provider.
    #expect(try bench.provider.counter("revocations") == 1)
    let session = bench.vault.groupSession()
    #expect(try session.currentAccount(client: ProviderProcess.client).account != nil)
    // A sign-out by one client applies to all clients.
    var options = SignOutOptions()
    options.clientID = ProviderProcess.familyClients[0]
    _ = try bench.signOut([Self.user], options)
    let told = try session.currentAccount(client: ProviderProcess.client)
    #expect(told.account == nil)
    guard case .left(_, username: Self.user, _)? = told.previous else {
      Issue.record("\(String(describing: told.previous))")
      return
    }
    try bench.signIn(as: "grace@contoso.example")
  }

  @Test(
    .parity(
      "PublicClientApplication.initiate_device_flow",
      "PublicClientApplication.acquire_token_by_device_flow",
      "public.Client.AcquireTokenByDeviceCode"))
  func rfc8628_aDeviceSignInCanSucceedBeRefusedOrBeCancelled() throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    func signIn(as username: String?) throws -> TokenResult {
      try Acquisition(bench.vault.groupSession(), platform: bench.platform) { event in
        guard case .waitingForDevice(let code) = event else { return }
        do { try bench.provider.answerDevice(code.userCode, as: username) } catch {
          Issue.record("\(error)")
        }
      }.deviceCode(ScopeSet(["User.Read"]), bench.application())
    }
    #expect(try failure { try signIn(as: nil) }?.signIn == .userCancelled)
    #expect(try bench.accounts().isEmpty)
    #expect(try signIn(as: Self.user).account.username == Self.user)
    #expect(try bench.silent(of: Self.user).isFromCache)
    let cancellation = Cancellation()
    let waiting = Acquisition(bench.vault.groupSession(), platform: bench.platform, cancellation) {
      if case .waitingForDevice = $0 { cancellation.cancel() }
    }
    let error = try failure { try waiting.deviceCode(ScopeSet([]), bench.application()) }
    #expect(error?.signIn == .cancelled)
  }

  @Test func rfc7009_aSignOutRevokesAtTheProviderAndSucceedsWithoutIt() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    var options = SignOutOptions()
    options.endsBrowserSession = true
    let report = try bench.signOut([Self.user], options)
    #expect(report.revocations.map(\.outcome) == [.revoked])
    #expect(try bench.provider.counter("revocations") == 1)
    guard case .opened(let page)? = report.browserSessions.first else {
      Issue.record("\(report.browserSessions)")
      return
    }
    #expect(page.query?.contains("logout_hint=ada%40contoso.example") == true)
    for (fault, expected) in [
      (
        #"{"endpoint": "revoke", "status": 503}"#,
        SignOutReport.Revocation.Outcome.failed(.badAnswer(.notJSON(status: 503)))
      ),
      (#"{"endpoint": "revoke", "error": "unsupported_token_type"}"#, nil),
      (#"{"endpoint": "discovery", "status": 503}"#, .failed(.badDiscovery(.status(503)))),
    ] {
      bench.browser.hand.cookies = [:]
      try bench.signIn(as: Self.user)
      try bench.provider.fault(fault)
      let outcomes = try bench.signOut([Self.user]).revocations.map(\.outcome)
      #expect(outcomes.count == 1)
      #expect(outcomes.first != .revoked)
      if let expected { #expect(outcomes == [expected]) }
      #expect(try bench.accounts().isEmpty)
    }
    try bench.provider.change(#"{"revocation": false}"#)
    try bench.signIn(as: Self.user)
    #expect(
      try bench.signOut([Self.user]).revocations.map(\.outcome) == [.notOffered])
  }
}
