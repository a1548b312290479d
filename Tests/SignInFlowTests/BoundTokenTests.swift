import Foundation
import TokenVaultSignIn
import Testing
import TokenVaultGroupStore
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

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
    // The bound token is still served for its key, also to another process.
    silent.authenticationScheme = try scheme(bench)
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
    let other = try await application(bench).acquireTokenSilent(silent)
    #expect(other.isFromCache)
    #expect(other.accessToken.reveal() == first.accessToken.reveal())
    #expect(try me(bench, other.authorizationHeader.reveal()) == 200)
  }

  @Test(.parity("MSALAuthenticationSchemePop")) func everyProcessOfAClientUsesTheSameKey()
    async throws
  {
    let bench = try SignInBench()
    let account = try bench.signIn(as: "ada@contoso.example").account
    var silent = SilentRequest(scopes: Self.scopes, account: account)
    silent.authenticationScheme = try scheme(bench)
    // There is no key yet, and each of them would make one.
    let headers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask { [silent] in
          try await application(bench).acquireTokenSilent(silent).authorizationHeader.reveal()
        }
      }
      return try await group.reduce(into: [String]()) { $0.append($1) }
    }
    for header in headers { #expect(try me(bench, header) == 200) }
    #expect(try bench.provider.counter("refreshes") == 1)
    // A new sign-in has a new key; tokens of the former one are not served for it.
    _ = try await application(bench).acquireToken(interactive: interactive(scheme(bench)))
    let later = try await application(bench).acquireTokenSilent(silent)
    #expect(later.isFromCache)
    #expect(try me(bench, later.authorizationHeader.reveal()) == 200)
  }

  @Test(.parity("MSALTokenParameters.authenticationScheme")) func aDeviceCodeGivesABoundToken()
    async throws
  {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    let app = try application(bench)
    var request = DeviceCodeRequest(scopes: Self.scopes)
    request.authenticationScheme = try scheme(bench)
    var events = app.events.makeAsyncIterator()
    let waiting = Task { [request] in try await app.acquireToken(deviceCode: request) }
    while let event = await events.next() {
      guard case .waitingForDevice(let code) = event else { continue }
      try bench.provider.answerDevice(code.userCode, as: "ada@contoso.example")
      break
    }
    let result = try await waiting.value
    #expect(result.tokenType == "Pop")
    #expect(try me(bench, result.authorizationHeader.reveal()) == 200)
    var silent = SilentRequest(scopes: Self.scopes, account: result.account)
    silent.authenticationScheme = try scheme(bench)
    #expect(try await application(bench).acquireTokenSilent(silent).isFromCache)
  }

  @Test(.parity("MSALAuthenticationSchemePop")) func anAPIIsCalledWithABoundToken() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try bench.signIn(as: "ada@contoso.example").account
    for path in ["/v1.0/me", "/api/hello"] {
      var request = try APIRequest("GET", bench.provider.url + path)
      request.scopes = Self.scopes
      request.isBound = true
      #expect(try await app.call(request, for: account).status == 200)
    }
    // One token and one key for both, and neither for a bearer request.
    #expect(try bench.provider.counter("refreshes") == 1)
    var odd = try APIRequest("PURGE", bench.provider.url + "/v1.0/me")
    odd.scopes = Self.scopes
    odd.isBound = true
    do {
      _ = try await app.call(odd, for: account)
      Issue.record("a method that MSAL cannot sign was sent")
    } catch VaultError.signIn(let error) { #expect(error == .invalidRequest(.method)) }
  }

  @Test func theKeyOfBoundTokensIsErasedWithThemAndNeverExported() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try await app.acquireToken(interactive: interactive(scheme(bench))).account
    func keys() throws -> [AccountRecord.StoredCredential] {
      try bench.vault.groupSession().read { transaction in
        var keys: [AccountRecord.StoredCredential] = []
        _ = try transaction.forEachAccount { stored throws(StoreError) in
          keys += stored.record.stored.filter { $0.credential.kind == .proofKey }
        }
        return keys
      }
    }
    #expect(try keys().count == 1)
    let export = try bench.vault.groupSession().exportCache(.all)
    #expect(!export.tokens.contains { $0.credential.kind == .proofKey })
    #expect(try !String(decoding: export.json(), as: UTF8.self).contains("ProofKey"))
    // An imported cache cannot bring a key that its author knows.
    let forged =
      #"{"AccessToken":{"a":{"credential_type":"ProofKey","secret":"QUJD","#
      + #""home_account_id":"1.2","environment":"127.0.0.1","client_id":"c"}}}"#
    try bench.vault.groupSession().importCache(MSALCache(json: Array(forged.utf8)))
    #expect(try keys().count == 1)
    try await app.remove(account)
    #expect(try keys().isEmpty)
  }

  /// Another process signs in again after this one stored its token, and before it presents it.
  @Test func aBoundTokenWhoseKeyWasReplacedIsPresentedUnderTheNewKey() throws {
    let bench = try SignInBench()
    let application = try bench.application()
    func signIn() throws -> TokenResult {
      try bench.acquisition().interactive(
        InteractiveRequest(scopes: ScopeSet(["User.Read"])), application, isBound: true)
    }
    let first = try signIn()
    let second = try signIn()
    #expect(first.keyID != second.keyID)
    let presented = try bench.acquisition().presented(first, scheme(bench), application)
    #expect(presented.keyID == second.keyID)
    #expect(presented.authorizationHeader.reveal().hasPrefix("Pop "))
    #expect(try bench.provider.counter("refreshes") == 0)
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
