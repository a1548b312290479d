import Foundation
import TokenVaultSignIn
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Silent requests, with a provider that works and one that fails.
@Suite(.timeLimit(.minutes(10))) struct SilentTests {
  private static let user = "ada@contoso.example"

  private func signedIn(_ configuration: String? = nil) throws -> (SignInBench, TokenResult) {
    let bench = try SignInBench(configuration)
    return (bench, try bench.signIn(as: Self.user))
  }

  @Test func aTokenDueForRefreshIsServedWhileTheRefreshFails() throws {
    let (bench, first) = try signedIn()
    try bench.advance(by: 1900)
    try bench.provider.fault(#"{"status": 503}"#)
    let served = try bench.silent(of: Self.user)
    #expect(served.accessToken.reveal() == first.accessToken.reveal())
    #expect(!served.isExtendedLifetime)
    #expect(try bench.provider.counter("refreshRequests") == 0)
    // The throttle entry after the 503 holds for a time.
    #expect(try bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("refreshRequests") == 0)
    try bench.advance(by: 61)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("refreshes") == 1)
  }

  @Test(.parity("MSALPublicClientApplicationConfig.extendedLifetimeEnabled"))
  func anExpiredTokenIsServedDuringAnOutageOnlyIfRequested() throws {
    let (bench, first) = try signedIn()
    try bench.advance(by: 3700)
    for fault in [#"{"status": 503, "count": 2}"#, #"{"ending": "cut", "count": 2}"#] {
      try bench.provider.fault(fault)
      #expect(try failure { try bench.silent(of: Self.user) }?.reason == nil)
      let served = try bench.silent(of: Self.user) { $0.extendedLifetime = true }
      #expect(served.isExtendedLifetime)
      #expect(served.accessToken.reveal() == first.accessToken.reveal())
      try bench.provider.control("faults/clear")
      try bench.advance(by: 61)
    }
    try bench.advance(by: 3600)
    try bench.provider.fault(#"{"status": 503}"#)
    let error = try failure { try bench.silent(of: Self.user) { $0.extendedLifetime = true } }
    #expect(error?.signIn == .badAnswer(.notJSON(status: 503)))
  }

  @Test func theExtendedLifetimeAppliesToOutagesOnly() throws {
    let (bench, _) = try signedIn()
    try bench.advance(by: 3700)
    try bench.provider.fault(#"{"error": "invalid_grant", "suberror": "basic_action"}"#)
    let error = try failure { try bench.silent(of: Self.user) { $0.extendedLifetime = true } }
    #expect(error?.refusal?.suberror == "basic_action")
    let throttled = try failure { try bench.silent(of: Self.user) { $0.extendedLifetime = true } }
    #expect(throttled?.refusal?.suberror == "basic_action")
  }

  @Test(
    .parity("MSALThrottlingCacheHitKey", "ClientApplication.http_cache"),
    arguments: [
      (#"{"status": 429, "retryAfter": 40}"#, Int64(40)), (#"{"status": 429}"#, 60),
      (#"{"status": 500}"#, 60), (#"{"status": 503, "retryAfter": 100000}"#, 3600),
      (#"{"error": "temporarily_unavailable", "status": 503, "retryAfter": 5}"#, 5),
      (#"{"error": "invalid_request", "retryAfter": 7}"#, 7),
    ])
  func aRateLimitingProviderIsNotContactedUntilTheDelayEnds(fault: String, seconds: Int64) throws {
    let (bench, _) = try signedIn()
    // The test is exact to the second.
    bench.vault.tickingFrom.withLock { $0 = nil }
    try bench.advance(by: 4000)
    try bench.provider.fault(fault)
    _ = try failure { try bench.silent(of: Self.user) }
    let until = bench.vault.clock.withLock { $0 } + seconds
    // A provider that names a time or limits the rate asks to wait; any other one failed.
    let isAsked = fault.contains("retryAfter") || fault.contains("429")
    let asked = isAsked ? OAuthError(code: "slow_down", status: 429) : nil
    func throttled(_ scopes: String) throws -> Bool {
      try failure { try bench.silent(scopes, of: Self.user) }?.signIn
        == .throttled(untilEpochSeconds: until, asked)
    }
    // The throttle applies to every request of this client.
    #expect(try throttled("User.Read"))
    #expect(try throttled("Mail.Read"))
    try bench.advance(by: seconds - 1)
    #expect(try throttled("User.Read"))
    #expect(try bench.provider.counter("refreshRequests") == 0)
    try bench.advance(by: 1)
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  @Test(
    .parity(
      "MSALThrottlingCacheHitKey", "MSALErrorInteractionRequired -50002",
      "MSALInternalErrorInvalidGrant -42004", "ClientApplication.acquire_token_silent_with_error"),
    arguments: [
      (#""error": "invalid_grant", "suberror": "bad_token", "code": 50173"#, false),
      (#""error": "invalid_grant", "suberror": "token_expired", "code": 700082"#, false),
      (#""error": "invalid_grant", "code": 70008"#, false),
      (#""error": "invalid_grant", "code": 65001"#, true),
      (#""error": "invalid_grant", "suberror": "consent_required", "code": 65001"#, true),
      (#""error": "invalid_grant", "suberror": "basic_action", "code": 50076"#, true),
      (#""error": "interaction_required", "suberror": "additional_action""#, true),
      (#""error": "login_required""#, true), (#""error": "consent_required""#, true),
    ])
  func aRefusalIsThrottledAndOnlyAnInvalidRefreshTokenIsDeleted(fault: String, isKept: Bool) throws
  {
    let (bench, _) = try signedIn()
    try bench.advance(by: 4000)
    try bench.provider.fault("{\(fault)}")
    #expect(try failure { try bench.silent(of: Self.user) }?.refusal != nil)
    #expect(try bench.accounts().first?.isRefreshTokenStored == isKept)
    let again = try failure { try bench.silent(of: Self.user) }
    #expect(again?.reason != nil)
    #expect(try bench.provider.counter("refreshRequests") == 0)
    guard isKept else {
      // A new sign-in restores silent requests at once.
      try bench.signIn(as: Self.user)
      #expect(try bench.silent(of: Self.user).isFromCache)
      return
    }
    // Another request of the same client is not throttled.
    #expect(try !bench.silent("openid", of: Self.user).accessToken.reveal().isEmpty)
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.user).isFromCache)
  }

  /// A proxy or a captive portal may answer in the provider's place.
  @Test(arguments: [
    #""status": 400"#, #""status": 401"#, #""status": 400, "raw": "<html>Welcome</html>""#,
    #""status": 401, "raw": "{}""#, #""status": 200, "raw": "<html>Welcome</html>""#,
    #""status": 400, "raw": "{\"message\": \"invalid_grant\"}""#,
    #""status": 500, "error": "invalid_grant", "suberror": "bad_token""#,
  ])
  func rfc6749_section5_2_anAnswerThatIsNoOAuthErrorIsNoRefusal(fault: String) throws {
    let (bench, _) = try signedIn()
    try bench.advance(by: 4000)
    try bench.provider.fault("{\(fault)}")
    let error = try failure { try bench.silent(of: Self.user) }
    #expect(error?.signIn != nil && error?.reason == nil)
    #expect(try bench.accounts().first?.isRefreshTokenStored == true)
    try bench.advance(by: 61)
    #expect(try !bench.silent(of: Self.user).isFromCache)
    #expect(try bench.provider.counter("refreshRequests") == 1)
  }

  @Test func aTokenOfFiveMinutesIsServedFromTheCache() throws {
    let (bench, _) = try signedIn(#"{"accessTokenLifetime": 300, "refreshIn": 0}"#)
    bench.vault.tickingFrom.withLock { $0 = nil }
    for _ in 0..<5 { #expect(try bench.silent(of: Self.user).isFromCache) }
    // A fifth of its lifetime before the end, it is renewed, once for all.
    try bench.advance(by: 239)
    #expect(try bench.silent(of: Self.user).isFromCache)
    try bench.advance(by: 1)
    let threads = (0..<32).map { _ in
      OtherThread { try bench.silent(of: Self.user).accessToken.reveal() }
    }
    #expect(Set(try threads.map { try $0.wait() }).count == 1)
    #expect(try bench.provider.counter("refreshes") == 1)
    // A minimum that the caller names is honoured.
    let named = try bench.acquisition().silent(
      TokenRequest(
        scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client, minimumValidity: 301),
      of: .named(Self.user))
    #expect(!named.isFromCache)
  }

  @Test func aThrottleEndsWithItsTimeASignInOrAnotherSuccess() throws {
    let (bench, _) = try signedIn()
    // The test is exact to the second.
    bench.vault.tickingFrom.withLock { $0 = nil }
    let fault = #"{"error": "interaction_required", "suberror": "basic_action"}"#
    func isThrottled() throws -> Bool { try failure { try bench.silent(of: Self.user) } != nil }
    func throttle() throws {
      try bench.advance(by: 4000)
      try bench.provider.fault(fault)
      #expect(try isThrottled())
      #expect(try isThrottled())
    }
    try throttle()
    try bench.advance(by: 119)
    #expect(try isThrottled())
    try bench.advance(by: 1)
    #expect(try !isThrottled())
    try throttle()
    try bench.signIn(as: Self.user)
    #expect(try !isThrottled())
    try throttle()
    _ = try bench.silent("openid", of: Self.user)
    #expect(try !isThrottled())
  }

  @Test(.parity("MSALTokenParameters.claimsRequest", "MSALSilentTokenParameters.forceRefresh"))
  func aForcedRefreshAndAClaimsRequestContactTheProvider() throws {
    let (bench, first) = try signedIn()
    let forced = try bench.silent(of: Self.user) { $0.forceRefresh = true }
    #expect(forced.accessToken.reveal() != first.accessToken.reveal())
    let claims = try ClaimsRequest(json: #"{"access_token":{"acrs":{"value":"c1"}}}"#)
    let stronger = try bench.silent(of: Self.user) { $0.claims = claims }
    #expect(stronger.accessToken.reveal() != forced.accessToken.reveal())
    #expect(try bench.provider.counter("refreshes") == 2)
    // The token acquired last is served.
    let served = try bench.silent(of: Self.user)
    #expect(served.accessToken.reveal() == stronger.accessToken.reveal())
  }

  @Test(
    .parity(
      "MSALDeclinedScopesKey", "MSALGrantedScopesKey", "MSALInvalidResultKey",
      "MSALErrorServerDeclinedScopes -50003"))
  func declinedScopesAreAnErrorAndTheTokenForGrantedOnesIsKept() throws {
    let bench = try SignInBench(#"{"declinedScopes": ["Mail.Read"]}"#)
    let error = try failure { try bench.signIn(as: Self.user, scopes: "User.Read Mail.Read") }
    guard case .declinedScopes(let granted, let declined)? = error?.signIn else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(declined == ["Mail.Read"])
    #expect(granted.contains("User.Read"))
    #expect(try bench.silent(of: Self.user).isFromCache)
  }

  @Test func rfc9700_section4_14_2_everyRefreshReplacesTheRefreshToken() throws {
    let (bench, _) = try signedIn()
    for _ in 0..<5 {
      try bench.advance(by: 4000)
      #expect(try !bench.silent(of: Self.user).isFromCache)
    }
    #expect(try bench.provider.counter("refreshes") == 5)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func withoutRotationTheRefreshTokenStays() throws {
    let (bench, _) = try signedIn(#"{"rotation": false}"#)
    for _ in 0..<3 {
      try bench.advance(by: 4000)
      #expect(try !bench.silent(of: Self.user).isFromCache)
    }
  }

  @Test(arguments: ["cut", "half"])
  func rfc9700_section4_14_2_aRefreshThatMayHaveArrivedIsNotSentAgain(ending: String) throws {
    let (bench, _) = try signedIn()
    try bench.advance(by: 4000)
    try bench.provider.fault(#"{"ending": "\#(ending)"}"#)
    var application = try bench.application()
    application.retryCount = 5
    let asked = application
    let error = try failure { try bench.silent(of: Self.user) { $0.application = asked } }
    #expect(error?.signIn != nil)
    #expect(try bench.provider.counter("refreshRequests") == 1)
    #expect(try bench.provider.counter("reuses") == 0)
  }

  @Test func theClientIsOptionalWhileAStoredTokenIsValid() throws {
    let bench = try SignInBench()
    let clients = [ProviderProcess.client] + ProviderProcess.familyClients
    for client in clients {
      try bench.signIn(as: Self.user, try bench.application(client: client))
    }
    #expect(try bench.silent(of: Self.user, client: nil).isFromCache)
    let error = try failure { try bench.silent("Mail.Read", of: Self.user, client: nil) }
    guard case .clientRequired(let stored, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(stored == clients.sorted())
  }

  @Test func aTenantNamedByItsDomainIsFoundAgain() throws {
    let bench = try SignInBench()
    try bench.signIn(as: "linus@fabrikam.example")
    func token() throws -> TokenResult {
      try bench.acquisition().silent(
        TokenRequest(
          scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client,
          tenantID: "contoso.example"), of: .named("linus@fabrikam.example"))
    }
    #expect(try !token().isFromCache)
    #expect(try token().isFromCache)
    #expect(try bench.provider.counter("refreshes") == 1)
  }
}
