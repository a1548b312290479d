import Foundation
import Testing
import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

@testable import TokenVault

/// The only server that a refresh token is sent to.
@Suite(.timeLimit(.minutes(10))) struct TokenBindingTests {
  private let user = "ada@contoso.example"

  /// A provider at another port of the host, and an application there. It names the same user.
  private func hostile() throws -> (ProviderProcess, ApplicationConfiguration) {
    let hostile = try ProviderProcess()
    return (
      hostile,
      ApplicationConfiguration(
        clientID: ProviderProcess.client, authority: try Authority("\(hostile.url)/common/v2.0"))
    )
  }

  private func signIn(
    at hostile: ProviderProcess, _ application: ApplicationConfiguration, _ bench: SignInBench
  ) throws -> VaultError? {
    let user = user
    bench.browser.script.withLock {
      $0 = { _, url in
        let back = try HandBrowser(hostile.url).signIn(at: url, as: user)
        _ = try RawHTTP.send("GET", back)
      }
    }
    defer { bench.browser.script.withLock { $0 = nil } }
    return try failure { try bench.signIn(as: user, application) }
  }

  private func isSignedInElsewhere(
    _ error: VaultError?, at issuer: ProviderProcess, not requested: ProviderProcess
  ) -> Bool {
    guard case .signedInElsewhere(let account, issuer.url, requested.url)? = error else {
      return false
    }
    return account.username == user
  }

  @Test func aRefreshTokenIsNotSentToAnotherPortOfItsHost() throws {
    let bench = try SignInBench()
    let (hostile, elsewhere) = try hostile()
    try bench.signIn(as: user)
    try hostile.fault(#"{"endpoint": "token", "remove": ["refresh_token"]}"#)
    let refused = try signIn(at: hostile, elsewhere, bench)
    #expect(isSignedInElsewhere(refused, at: bench.provider, not: hostile))
    try bench.advance(by: 4000)
    try hostile.advanceClock(by: 4000)
    let error = try failure { try bench.silent(of: user) { $0.application = elsewhere } }
    #expect(
      error?.signIn == .issuedElsewhere(issuer: bench.provider.url, requested: hostile.url))
    #expect(try hostile.counter("refreshRequests") == 0)
    // The token is kept, and serves the server that issued it.
    #expect(try !bench.silent(of: user).isFromCache)
    // The other server gets its own token back, and never that of the genuine one.
    #expect(try bench.signOut([user]).revocations.map(\.outcome) == [.revoked])
    #expect(try hostile.counter("revocationRequests") == 1)
    #expect(try bench.provider.counter("revocations") == 1)
  }

  @Test func aSignInAtAnotherPortOfTheHostReplacesNothing() throws {
    let bench = try SignInBench()
    var (hostile, elsewhere) = try hostile()
    try bench.signIn(as: user)
    for endsTokenAlone in [false, true] {
      elsewhere.revocationEndsTokenAlone = endsTokenAlone
      elsewhere.clientID = endsTokenAlone ? ProviderProcess.familyClients[0] : elsewhere.clientID
      let refused = try signIn(at: hostile, elsewhere, bench)
      #expect(isSignedInElsewhere(refused, at: bench.provider, not: hostile))
    }
    #expect(try bench.accounts().map(\.clientIDs) == [[ProviderProcess.client]])
    #expect(try hostile.counter("revocations") == 2)
    #expect(try bench.provider.counter("revocationRequests") == 0)
    #expect(try !bench.silent(of: user) { $0.forceRefresh = true }.isFromCache)
    // After a sign-out nothing can be lost.
    _ = try bench.signOut([user])
    elsewhere.clientID = ProviderProcess.client
    #expect(try signIn(at: hostile, elsewhere, bench) == nil)
  }

  /// An earlier version stored a sign-in at another server with the account, and kept its token.
  private func nameServer(_ authority: Authority, _ bench: SignInBench) throws {
    try bench.vault.groupSession().write { transaction in
      var found: StoredAccount?
      _ = try transaction.forEachAccount { stored throws(StoreError) in found = stored }
      var stored = try #require(found)
      stored.record.bindRefreshTokens(stored.record.issuer(of:))
      stored.record.authorities[ProviderProcess.client] = authority.url
      try transaction.update(&stored)
    }
  }

  /// Such a sign-out stores the account's other tokens again.
  @Test func aSignOutOfAnotherClientKeepsTheServerOfARefreshToken() throws {
    let bench = try SignInBench()
    let (hostile, elsewhere) = try hostile()
    var other = try bench.application()
    other.clientID = ProviderProcess.familyClients[0]
    try bench.signIn(as: user)
    try bench.signIn(as: user, other)
    try nameServer(elsewhere.authority, bench)
    var options = SignOutOptions()
    options.clientID = other.clientID
    _ = try bench.signOut([user], options)
    try bench.advance(by: 4000)
    try hostile.advanceClock(by: 4000)
    for application in [elsewhere, nil] {
      let error = try failure { try bench.silent(of: user) { $0.application = application } }
      #expect(
        error?.signIn == .issuedElsewhere(issuer: bench.provider.url, requested: hostile.url))
    }
    #expect(try hostile.counter("refreshRequests") == 0)
    // A sign-out does not send it to the other server either.
    let report = try bench.signOut([user])
    #expect(report.revocations.map(\.outcome).contains(.unknownAuthority))
    #expect(try hostile.counter("revocationRequests") == 0)
  }

  @Test func anAccessTokenOfAnotherServerIsNotSentThereToBeRevoked() throws {
    let bench = try SignInBench()
    // Without a refresh token, a sign-out revokes the access tokens.
    try bench.provider.fault(#"{"endpoint": "token", "remove": ["refresh_token"]}"#)
    try bench.signIn(as: user)
    let session = bench.vault.groupSession()
    // A cache that names no port, and so another server.
    let full = try session.exportCache(.all)
    var token = try #require(full.tokens.first { $0.credential.kind == .accessToken })
    token.credential.target = "Mail.Read"
    token.secret = Redacted("fake-token")
    try session.importCache(MSALCache(profiles: full.profiles, tokens: [token]))
    #expect(try bench.accounts().count == 1)
    let report = try bench.signOut([user])
    #expect(report.revocations.map(\.outcome) == [.revoked, .unknownAuthority])
    #expect(try bench.provider.counter("revocationRequests") == 1)
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
