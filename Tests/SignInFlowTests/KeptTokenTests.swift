import Foundation
import Synchronization
import TokenVaultGroupStore
import TokenVaultSignIn
import Testing
@testable import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Refreshes that fail in the vault after the provider has replaced the refresh token, so that the
/// old one is no longer valid.
@Suite(.timeLimit(.minutes(10))) struct KeptTokenTests {
  /// Calls `body` before each request is sent.
  private struct Watched: BlockingTransport {
    let base: any BlockingTransport
    let body: @Sendable (HTTPRequest) throws -> Void

    init(
      _ base: any BlockingTransport, _ body: @escaping @Sendable (HTTPRequest) throws -> Void
    ) { (self.base, self.body) = (base, body) }

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      do { try body(request) } catch { throw .other(code: -1) }
      return try base.send(request, cancellation)
    }
  }

  private static let user = "ada@contoso.example"

  private func expired(_ path: String = "common/v2.0") throws -> SignInBench {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user, try bench.application(path))
    try bench.advance(by: 4000)
    return bench
  }

  @Test(arguments: [
    #""idToken": "expired""#, #""idToken": "issuedInFuture""#, #""idToken": "badSignature""#,
    #""idToken": "wrongAudience""#, #""set": {"token_type": "mac"}"#,
    #""set": {"expires_in": "soon"}"#, #""set": {"client_info": "e30"}"#,
    #""remove": ["access_token"]"#,
  ])
  func rfc9700_section4_14_2_theNewRefreshTokenOfARefusedResponseIsKept(
    fault: String
  ) throws {
    for path in ["common/v2.0", "oidc/one"] {
      let bench = try expired(path)
      try bench.provider.fault(#"{"grant": "refresh_token", \#(fault)}"#)
      #expect(try failure { try bench.silent(of: Self.user) }?.signIn != nil)
      #expect(try !bench.silent(of: Self.user).isFromCache)
      #expect(try bench.provider.counter("reuses") == 0)
      #expect(try bench.provider.counter("refreshes") == 2)
    }
  }

  @Test func theNewRefreshTokenIsKeptIfTheProvidersKeysCannotBeFetched() throws {
    let bench = try expired()
    try bench.provider.fault(#"{"endpoint": "keys", "status": 500}"#)
    let error = try failure { try bench.silent(of: Self.user) }
    #expect(error?.signIn == .idToken(.keysUnavailable))
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func theNewRefreshTokenIsStoredBeforeTheKeysAreFetched() throws {
    for path in ["common/v2.0", "oidc/one"] {
      let bench = try expired(path)
      let before = try refreshToken(bench)
      let seen = Mutex("")
      var platform = bench.platform
      platform.transport = Watched(platform.transport) { request in
        guard request.address.path.hasSuffix("keys") else { return }
        let now = try refreshToken(bench)
        seen.withLock { $0 = now }
      }
      _ = try Acquisition(bench.vault.groupSession(), platform: platform).silent(
        TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
        of: .named(Self.user))
      let after = try refreshToken(bench)
      #expect(seen.withLock { $0 } == after && after != before)
    }
  }

  /// The refresh token that an export contains.
  private func refreshToken(_ bench: SignInBench) throws -> String {
    let cache = try CacheExport(bench.vault.groupSession()).run(.all)
    let json = try JSONSerialization.jsonObject(with: Data(cache.json())) as? [String: Any]
    let tokens = json?["RefreshToken"] as? [String: [String: Any]]
    #expect(tokens?.count == 1)
    return tokens?.values.first?["secret"] as? String ?? ""
  }

  @Test func renewalsGoOnWithCachedKeysWhileTheProvidersKeysCannotBeFetched() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    let acquisition = bench.acquisition()
    func renew() throws -> TokenResult {
      try bench.advance(by: 4000)
      return try acquisition.silent(
        TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
        of: .named(Self.user))
    }
    #expect(try !renew().isFromCache)
    try bench.provider.fault(#"{"endpoint": "keys", "status": 503, "count": 3}"#)
    for _ in 0..<3 { #expect(try !renew().isFromCache) }
    #expect(try bench.provider.counter("faults") == 0)
    // A key that is not in the cached set cannot be fetched: nothing is served, nothing is lost.
    try bench.provider.control("rotate-keys")
    for _ in 0..<3 { #expect(try failure { try renew() }?.signIn == .idToken(.keysUnavailable)) }
    #expect(try !renew().isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func theRefreshTokenOfAnotherUserIsNotKept() throws {
    let bench = try expired("oidc/one")
    try bench.provider.fault(#"{"grant": "refresh_token", "idToken": "otherSubject"}"#)
    #expect(try failure { try bench.silent(of: Self.user) }?.signIn == .idToken(.subject))
    // The stored token is still the one that was sent, which the provider now treats as stolen.
    #expect(try failure { try bench.silent(of: Self.user) }?.refusal?.code == "invalid_grant")
  }

  @Test func aCancelledRefreshDoesNotLoseTheAccount() throws {
    let bench = try expired()
    try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": 1000}"#)
    let cancellation = Cancellation()
    let refresh = OtherThread {
      try bench.acquisition(cancellation).silent(
        TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
        of: .named(Self.user))
    }
    try bench.wait(for: "refreshes", 1)
    cancellation.cancel()
    _ = try failure { try refresh.wait() }
    #expect(try !bench.silent(of: Self.user).accessToken.reveal().isEmpty)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func anUnansweredRefreshCanBeCancelled() throws {
    let bench = try expired()
    try bench.provider.fault(#"{"grant": "refresh_token", "ending": "hang"}"#)
    let cancellation = Cancellation()
    let refresh = OtherThread {
      try bench.acquisition(cancellation).silent(
        TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
        of: .named(Self.user))
    }
    try bench.wait(for: "refreshes", 1)
    cancellation.cancel()
    #expect(try failure { try refresh.wait() }?.signIn == .cancelled)
  }

  @Test func aValidTokenIsServedWhileAnotherProcessHangs() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.user)
    try bench.advance(by: 1900)
    let path = bench.vault.groupSession().configuration.refreshLockPath
    let served = try FileLock.hold(path, waiting: 0) { try bench.silent(of: Self.user) }
    #expect(served.isFromCache)
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  @Test func theFamilyTokenSurvivesASignOutOfAClientDuringItsRefresh() throws {
    let bench = try SignInBench()
    let clients = ProviderProcess.familyClients
    for client in clients {
      try bench.signIn(as: Self.user, try bench.application(client: client))
    }
    try bench.advance(by: 4000)
    try bench.provider.fault(#"{"grant": "refresh_token", "delayAfter": 2000}"#)
    let refresh = OtherThread { try bench.silent(of: Self.user, client: clients[0]) }
    try bench.wait(for: "refreshes", 1)
    _ = try bench.vault.groupSession().signOut([Self.user], client: clients[0])
    #expect(try failure { try refresh.wait() }?.reason == .signedOut)
    #expect(try !bench.silent(of: Self.user, client: clients[1]).isFromCache)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func aThrottleFromBeforeTheClockWasSetBackIsIgnored() throws {
    let bench = try expired()
    try bench.provider.fault(#"{"error": "interaction_required", "suberror": "basic_action"}"#)
    #expect(try failure { try bench.silent(of: Self.user) }?.refusal != nil)
    #expect(try failure { try bench.silent(of: Self.user) }?.refusal != nil)
    try bench.advance(by: -86_400)
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  @Test func aResourceUnknownToAThirdPartyProviderIsDeclined() throws {
    let resource = "https://api.elsewhere.example"
    let bench = try expired("oidc/one")
    let answer = """
      {\\"access_token\\": \\"fake\\", \\"token_type\\": \\"Bearer\\", \\"scope\\": \\"openid User.Read\\"}
      """
    try bench.provider.fault(#"{"grant": "refresh_token", "raw": "\#(answer)"}"#)
    let error = try failure {
      try bench.acquisition().silent(
        TokenRequest(
          scopes: ScopeSet([]), resource: resource, clientID: ProviderProcess.client),
        of: .named(Self.user))
    }
    guard case .declinedScopes(_, [resource + "/.default"])? = error?.signIn else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
