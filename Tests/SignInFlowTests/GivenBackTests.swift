import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// Tokens that arrive and are not kept: they are revoked, unless that could end a stored sign-in.
@Suite(.timeLimit(.minutes(10))) struct GivenBackTests {
  private static let ada = "ada@contoso.example"
  private static let grace = "grace@contoso.example"

  private func signInAs(_ username: String, wanting account: Account, _ bench: SignInBench) throws {
    bench.browser.hand.cookies = [:]
    let error = try failure {
      try bench.signIn(as: username) { $0.account = account.homeAccountID }
    }
    #expect(error?.signIn == .mismatchedUser)
  }

  @Test func theTokensOfAnotherPersonAreRevoked() throws {
    let bench = try SignInBench()
    let ada = try bench.signIn(as: Self.ada).account
    try signInAs(Self.grace, wanting: ada, bench)
    #expect(try bench.provider.counter("revocations") == 1)
    #expect(try bench.accounts().map(\.username) == [Self.ada])
    #expect(try !bench.silent(of: Self.ada) { $0.forceRefresh = true }.isFromCache)
  }

  @Test func theTokensOfAPersonWhoIsStoredAreNotRevoked() throws {
    let bench = try SignInBench()
    let ada = try bench.signIn(as: Self.ada).account
    bench.browser.hand.cookies = [:]
    try bench.signIn(as: Self.grace)
    try signInAs(Self.grace, wanting: ada, bench)
    #expect(try bench.provider.counter("revocationRequests") == 0)
  }

  @Test func aSignInThatCannotBeUsedIsGivenBack() throws {
    let bench = try SignInBench()
    try bench.provider.fault(#"{"grant": "authorization_code", "set": {"token_type": "mac"}}"#)
    #expect(try failure { try bench.signIn(as: Self.ada) }?.signIn == .badAnswer(.tokenType))
    #expect(try bench.provider.counter("revocations") == 1)
    #expect(try bench.accounts().isEmpty)
  }

  @Test func aTokenForAnErasedAccountIsRevoked() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.ada)
    try bench.advance(by: 4000)
    var platform = bench.platform
    platform.transport = AfterRefresh(platform.transport) {
      var options = SignOutOptions()
      options.revokes = false
      _ = try bench.signOut([Self.ada], options)
    }
    let acquisition = Acquisition(bench.vault.groupSession(), platform: platform)
    let error = try failure {
      try acquisition.silent(
        TokenRequest(scopes: ScopeSet(["User.Read"]), clientID: ProviderProcess.client),
        of: .named(Self.ada))
    }
    #expect(error?.reason == .signedOut)
    #expect(try bench.provider.counter("revocations") == 1)
  }

  @Test func signingInAgainDropsTheFormerRefreshToken() throws {
    for endsTokenAlone in [false, true] {
      let bench = try SignInBench()
      var application = try bench.application()
      application.revocationEndsTokenAlone = endsTokenAlone
      for _ in 0..<2 { try bench.signIn(as: Self.ada, application) }
      #expect(
        try bench.provider.counter("revocationRequests") == (endsTokenAlone ? 1 : 0))
      #expect(try !bench.silent(of: Self.ada) { $0.forceRefresh = true }.isFromCache)
    }
  }

  /// A sign-in with a code at a plain provider whose answer has no ID token.
  private func deviceSignIn(_ bench: SignInBench, _ path: String) throws -> TokenResult {
    try bench.provider.fault(
      #"{"grant": "urn:ietf:params:oauth:grant-type:device_code", "remove": ["id_token"]}"#)
    let application = try bench.application(path)
    return try Acquisition(bench.vault.groupSession(), platform: bench.platform) { event in
      guard case .waitingForDevice(let code) = event else { return }
      do { try bench.provider.answerDevice(code.userCode, as: Self.ada) } catch {
        Issue.record("\(error)")
      }
    }.deviceCode(ScopeSet(["User.Read"]), application)
  }

  @Test func openIDConnectCore_section5_3_withoutAnIDTokenTheUserinfoEndpointNamesThePerson() throws
  {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    let token = try deviceSignIn(bench, "oidc/one")
    #expect(token.account.username == Self.ada)
    bench.browser.hand.cookies = [:]
    // The same person with an ID token is the same account.
    let same = try bench.signIn(as: Self.ada, bench.application("oidc/one"))
    #expect(same.account.identity == token.account.identity)
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: Self.ada).isFromCache)
  }

  @Test(arguments: [#""status": 403"#, #""remove": ["sub"]"#, #""raw": "<html>""#])
  func anAnswerThatNamesNoUserIsGivenBack(fault: String) throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    try bench.provider.fault(#"{"endpoint": "userinfo", \#(fault)}"#)
    let error = try failure { try deviceSignIn(bench, "oidc/one") }
    #expect(error?.signIn == .badAnswer(.nobody))
    #expect(try bench.provider.counter("revocations") == 1)
    #expect(try bench.accounts().isEmpty)
  }

  @Test func atMicrosoftAnAnswerWithoutAnIDTokenIsGivenBack() throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    #expect(
      try failure { try deviceSignIn(bench, "organizations/v2.0") }?.signIn == .badAnswer(.nobody))
    #expect(try bench.provider.counter("revocations") == 1)
  }

  @Test(arguments: ["revocation_endpoint", "device_authorization_endpoint"])
  func rfc8414_section3_1_endpointsAreAlsoReadFromTheServerMetadata(missing: String) throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    let fault = #"{"endpoint": "discovery", "remove": ["\#(missing)"]}"#
    if missing == "device_authorization_endpoint" { try bench.provider.fault(fault) }
    #expect(try deviceSignIn(bench, "oidc/one").account.username == Self.ada)
    if missing == "revocation_endpoint" { try bench.provider.fault(fault) }
    #expect(try bench.signOut([Self.ada]).revocations.map(\.outcome) == [.revoked])
  }

  @Test func rfc8414_section3_3_serverMetadataOfAnotherIssuerNameNoEndpoint() throws {
    let bench = try SignInBench()
    try bench.signIn(as: Self.ada, bench.application("oidc/one"))
    try bench.provider.fault(
      #"{"endpoint": "discovery", "remove": ["revocation_endpoint"]}"#)
    try bench.provider.fault(
      #"{"endpoint": "discovery", "set": {"issuer": "https://attacker.example"}}"#)
    #expect(try bench.signOut([Self.ada]).revocations.map(\.outcome) == [.notOffered])
    #expect(try bench.provider.counter("revocationRequests") == 0)
  }
}
