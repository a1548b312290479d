import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// The only server that a refresh token is sent to.
@Suite(.timeLimit(.minutes(10))) struct TokenBindingTests {
  @Test func aRefreshTokenIsNotSentToAnotherPortOfItsHost() throws {
    let bench = try SignInBench()
    let user = "ada@contoso.example"
    let hostile = try ProviderProcess()
    func hostileSignIn() throws {
      // It names the same user, and issues no refresh token that would replace the genuine one.
      try hostile.fault(#"{"endpoint": "token", "remove": ["refresh_token"]}"#)
      bench.browser.script.withLock {
        $0 = { _, url in
          let back = try HandBrowser(hostile.url).signIn(at: url, as: user)
          _ = try RawHTTP.send("GET", back)
        }
      }
      try bench.signIn(as: user, elsewhere)
      bench.browser.script.withLock { $0 = nil }
    }
    let elsewhere = ApplicationConfiguration(
      clientID: ProviderProcess.client, authority: try Authority("\(hostile.url)/common/v2.0"))
    func advance() throws {
      try bench.advance(by: 4000)
      try hostile.advanceClock(by: 4000)
    }
    try bench.signIn(as: user)
    try hostileSignIn()
    #expect(try bench.accounts().count == 1)
    try advance()
    for application in [elsewhere, nil] {
      let error = try failure {
        try bench.silent(of: user) { $0.application = application }
      }
      #expect(
        error?.signIn
          == .issuedElsewhere(issuer: bench.provider.url, requested: hostile.url))
    }
    #expect(try hostile.counter("refreshRequests") == 0)
    // The token is kept, and serves the server that issued it.
    try bench.provider.fault(#"{"endpoint": "token", "remove": ["refresh_token"]}"#)
    try bench.signIn(as: user)
    try advance()
    #expect(try !bench.silent(of: user).isFromCache)
    // A sign-out does not send it to the other server either.
    try hostileSignIn()
    let report = try bench.signOut([user])
    #expect(report.revocations.map(\.outcome).contains(.unknownAuthority))
    #expect(
      try hostile.log().allSatisfy {
        $0["endpoint"] as? String != "revoke"
      })
  }

  /// Such a sign-out stores the account's other tokens again.
  @Test func aSignOutOfAnotherClientKeepsTheServerOfARefreshToken() throws {
    let bench = try SignInBench()
    let user = "ada@contoso.example"
    let hostile = try ProviderProcess()
    let elsewhere = ApplicationConfiguration(
      clientID: ProviderProcess.client, authority: try Authority("\(hostile.url)/common/v2.0"))
    var other = try bench.application()
    other.clientID = ProviderProcess.familyClients[0]
    try bench.signIn(as: user)
    try bench.signIn(as: user, other)
    try hostile.fault(#"{"endpoint": "token", "remove": ["refresh_token"]}"#)
    bench.browser.script.withLock {
      $0 = { _, url in
        let back = try HandBrowser(hostile.url).signIn(at: url, as: user)
        _ = try RawHTTP.send("GET", back)
      }
    }
    try bench.signIn(as: user, elsewhere)
    var options = SignOutOptions()
    options.clientID = other.clientID
    _ = try bench.signOut([user], options)
    try bench.advance(by: 4000)
    try hostile.advanceClock(by: 4000)
    let error = try failure { try bench.silent(of: user) { $0.application = elsewhere } }
    #expect(
      error?.signIn == .issuedElsewhere(issuer: bench.provider.url, requested: hostile.url))
    #expect(try hostile.counter("refreshRequests") == 0)
  }

  @Test func aReplacedTokenOfAnotherServerIsNotSentThereToBeRevoked() throws {
    let bench = try SignInBench()
    let user = "ada@contoso.example"
    let hostile = try ProviderProcess()
    var elsewhere = ApplicationConfiguration(
      clientID: ProviderProcess.client, authority: try Authority("\(hostile.url)/common/v2.0"))
    elsewhere.revocationEndsTokenAlone = true
    try bench.signIn(as: user)
    bench.browser.script.withLock {
      $0 = { _, url in
        let back = try HandBrowser(hostile.url).signIn(at: url, as: user)
        _ = try RawHTTP.send("GET", back)
      }
    }
    for isOwn in [false, true] {
      try bench.signIn(as: user, elsewhere)
      #expect(try bench.accounts().count == 1)
      #expect(try hostile.counter("revocationRequests") == (isOwn ? 1 : 0))
    }
  }

  @Test func anImportedRefreshTokenIsBoundToItsHostAtPort443() async throws {
    let bench = try SignInBench()
    let user = "ada@contoso.example"
    try bench.signIn(as: user)
    let full = try await Vault(bench.vault.configuration()).exportCache()
    let other = try TestVault()
    other.clock.withLock { $0 = bench.vault.clock.withLock(\.self) }
    let app = PublicClientApplication(
      try bench.application(), vault: other.configuration(), platform: bench.platform)
    // Without an ID token, nothing but the host is known.
    let cache = MSALCache(
      profiles: full.profiles, tokens: full.tokens.filter { $0.credential.kind == .refreshToken })
    _ = try await app.vault.importCache(cache)
    let account = try await app.vault.account(username: user)
    do {
      _ = try await app.acquireTokenSilent(SilentRequest(scopes: "User.Read", account: account))
      Issue.record("a token")
    } catch {
      #expect(
        error.signIn
          == .issuedElsewhere(issuer: "https://127.0.0.1", requested: bench.provider.url))
    }
    #expect(try bench.provider.counter("refreshRequests") == 0)
    // The issuer of an ID token at the same host, which came with it, names the port.
    _ = try await app.vault.signOut([account])
    _ = try await app.vault.importCache(full)
    var request = SilentRequest(
      scopes: "User.Read", account: try await app.vault.account(username: user))
    request.forceRefresh = true
    #expect(try await !app.acquireTokenSilent(request).isFromCache)
  }
}
