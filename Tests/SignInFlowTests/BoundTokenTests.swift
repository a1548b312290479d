import Foundation
import TokenVaultSignIn
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Tokens that are bound to a key.
@Suite(.timeLimit(.minutes(10))) struct BoundTokenTests {
  private static let scopes = ScopeSet(["User.Read"])

  private func application(_ bench: SignInBench) throws -> PublicClientApplication {
    PublicClientApplication(
      try bench.application(), vault: bench.vault.configuration(), platform: bench.platform)
  }

  private func interactive(_ scheme: AuthenticationScheme) -> InteractiveRequest {
    var request = InteractiveRequest(scopes: Self.scopes)
    request.deadlineMilliseconds = 86_400_000
    request.authenticationScheme = scheme
    return request
  }

  private func me(
    _ bench: SignInBench, _ header: String, method: String = "GET", path: String = "/v1.0/me"
  ) throws -> Int {
    try RawHTTP.send(
      method, bench.provider.url + path, headers: ["Authorization": header]
    ).status
  }

  private func scheme(_ bench: SignInBench, nonce: String? = nil) throws -> AuthenticationScheme {
    .pop(.init(.get, try #require(HTTPURL(bench.provider.url + "/v1.0/me")), nonce: nonce))
  }

  @Test(
    .parity(
      "MSALAuthenticationSchemePop", "MSALAuthSchemePop", "MSALResult.authorizationHeader",
      "MSALResult.authenticationScheme", "msal.PopAuthScheme"))
  func aBoundTokenIsAcceptedOnlyInARequestSignedForIt() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let result = try await app.acquireToken(interactive: interactive(scheme(bench)))
    #expect(result.tokenType == "Pop")
    #expect(result.authenticationScheme == (try scheme(bench)))
    let header = result.authorizationHeader.reveal()
    #expect(header.hasPrefix("Pop "))
    #expect(try me(bench, header) == 200)
    #expect(try me(bench, header, method: "POST") == 401)
    #expect(try me(bench, header, path: "/api/hello") == 401)
    #expect(try me(bench, "Bearer " + result.accessToken.revealText()) == 401)
    try bench.provider.advanceClock(by: 400)
    #expect(try me(bench, header) == 401)
  }

  @Test(.parity("MSALTokenParameters.authenticationScheme"))
  func aBoundTokenIsServedForItsKeyAndNeverAsABearerToken() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let first = try await app.acquireToken(interactive: interactive(scheme(bench)))
    var silent = SilentRequest(scopes: Self.scopes, account: first.account)
    silent.authenticationScheme = try scheme(bench, nonce: "asked-for")
    let served = try await app.acquireTokenSilent(silent)
    #expect(served.isFromCache)
    #expect(served.accessToken.reveal() == first.accessToken.reveal())
    #expect(served.authorizationHeader.reveal() != first.authorizationHeader.reveal())
    #expect(try me(bench, served.authorizationHeader.reveal()) == 200)
    // Not as a bearer token: neither for the application itself nor for the command line.
    silent.authenticationScheme = .bearer
    let bearer = try await app.acquireTokenSilent(silent)
    #expect(bearer.tokenType == "Bearer")
    #expect(!bearer.isFromCache)
    #expect(try me(bench, bearer.authorizationHeader.reveal()) == 200)
    let plain = try bench.vault.groupSession().token(
      TokenRequest(scopes: Self.scopes), account: "ada@contoso.example")
    #expect(plain.accessToken.reveal() == bearer.accessToken.reveal())
    // The bound token is still served for its key. Another process has another key.
    silent.authenticationScheme = try scheme(bench)
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
    let other = try await application(bench).acquireTokenSilent(silent)
    #expect(!other.isFromCache)
    #expect(try me(bench, other.authorizationHeader.reveal()) == 200)
  }

  @Test func aBoundTokenIsRefreshedAndExpiredOnesAreDeleted() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try await app.acquireToken(interactive: interactive(scheme(bench))).account
    var silent = SilentRequest(scopes: Self.scopes, account: account)
    silent.authenticationScheme = try scheme(bench)
    for _ in 0..<3 {
      try bench.advance(by: 4000)
      // Each application object stands for another process, with another key.
      let result = try await application(bench).acquireTokenSilent(silent)
      #expect(!result.isFromCache)
      #expect(try me(bench, result.authorizationHeader.reveal()) == 200)
    }
    let kept = try bench.vault.groupSession().exportCache(.all).tokens.filter {
      $0.credential.kind == .accessToken
    }
    #expect(kept.count == 1)
  }

  @Test func aTokenOfAnotherTypeThanRequestedIsRefused() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    for (scheme, type) in [(try scheme(bench), "Bearer"), (.bearer, "pop")] {
      try bench.provider.fault(#"{"set": {"token_type": "\#(type)"}}"#)
      do {
        _ = try await app.acquireToken(interactive: interactive(scheme))
        Issue.record("\(type) was taken")
      } catch VaultError.signIn(let error) { #expect(error == .badAnswer(.tokenType)) }
      #expect(try bench.accounts().isEmpty)
    }
  }
}
