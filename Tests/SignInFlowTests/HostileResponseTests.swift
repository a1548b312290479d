import TokenVaultSignIn
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Responses of a broken or hostile provider cause a clear error, and nothing is stored.
@Suite(.timeLimit(.minutes(10))) struct HostileResponseTests {
  private static let user = "ada@contoso.example"

  @Test(
    .parity("msal.IdTokenError"),
    arguments: [
      "otherIssuer", "wrongNonce", "noNonce", "wrongAudience", "otherAudiences", "expired",
      "notYetValid", "issuedInFuture", "noSubject", "wrongHash", "wrongTypes", "unknownKey",
      "otherKey", "badSignature", "none", "hs256", "noToken", "not.a.token", "a.b.c",
    ])
  func openIDConnectCore_section3_1_3_7_anInvalidIDTokenFailsTheSignIn(
    spoiling: String
  ) throws {
    let bench = try SignInBench()
    for path in ["common/v2.0", "contoso.example/v2.0", "oidc/one"] {
      try bench.provider.fault(
        #"{"grant": "authorization_code", "idToken": "\#(spoiling)"}"#)
      let error = try failure { try bench.signIn(as: Self.user, try bench.application(path)) }
      switch error?.signIn {
      case .idToken, .badAnswer(.nobody), .badAnswer(.field("id_token")): break
      default: Issue.record("\(path): \(String(describing: error))")
      }
      #expect(try bench.accounts().isEmpty)
    }
  }

  @Test func anIDTokenThatContradictsClientInfoFailsTheSignIn() throws {
    let bench = try SignInBench()
    try bench.provider.fault(#"{"grant": "authorization_code", "idToken": "otherSubject"}"#)
    #expect(try failure { try bench.signIn(as: Self.user) }?.signIn == .idToken(.subject))
    #expect(try bench.accounts().isEmpty)
  }

  @Test(arguments: [
    "otherSubject", "otherIssuer", "wrongAudience", "expired", "badSignature", "none",
  ])
  func openIDConnectCore_section12_2_aRefreshWithAnInvalidIDTokenIsNotStored(
    spoiling: String
  ) throws {
    for path in ["common/v2.0", "oidc/one"] {
      let bench = try SignInBench(#"{"rotation": false}"#)
      let application = try bench.application(path)
      try bench.signIn(as: Self.user, application)
      try bench.advance(by: 4000)
      try bench.provider.fault(#"{"grant": "refresh_token", "idToken": "\#(spoiling)"}"#)
      let error = try failure {
        try bench.silent(of: Self.user) { $0.application = application }
      }
      guard case .idToken? = error?.signIn else {
        Issue.record("\(path): \(String(describing: error))")
        continue
      }
      let next = try bench.silent(of: Self.user) { $0.application = application }
      #expect(!next.isFromCache)
      #expect(next.account.username == Self.user)
    }
  }

  @Test(arguments: [
    (#""raw": """#, SignInError.badAnswer(.notJSON(status: 200))),
    (#""raw": "[1]""#, .badAnswer(.notJSON(status: 200))),
    (#""raw": "{}""#, .badAnswer(.field("access_token"))),
    (#""set": {"access_token": 7}"#, .badAnswer(.field("access_token"))),
    (#""set": {"access_token": "a b"}"#, .badAnswer(.field("access_token"))),
    (#""set": {"token_type": "mac"}"#, .badAnswer(.tokenType)),
    (#""set": {"expires_in": "soon"}"#, .badAnswer(.field("expires_in"))),
    (#""set": {"expires_in": -1}"#, .badAnswer(.field("expires_in"))),
    (#""set": {"refresh_token": {}}"#, .badAnswer(.field("refresh_token"))),
    (#""set": {"scope": []}"#, .badAnswer(.field("scope"))),
    (#""set": {"client_info": "e30"}"#, .badAnswer(.field("client_info"))),
    (#""remove": ["access_token"]"#, .badAnswer(.field("access_token"))),
    (#""remove": ["token_type"]"#, .badAnswer(.field("token_type"))),
    (#""remove": ["id_token"]"#, .badAnswer(.nobody)),
    (#""remove": ["client_info"]"#, .badAnswer(.nobody)),
    (#""size": 104857600"#, .transport(.tooLarge(limit: 1 << 20))),
    (
      #""set": {"error": "invalid_grant"}"#,
      .provider(OAuthError(code: "invalid_grant", status: 200))
    ),
  ])
  func aMalformedTokenResponseFailsTheSignIn(plan: String, expected: SignInError) throws {
    let bench = try SignInBench()
    try bench.provider.fault(#"{"grant": "authorization_code", \#(plan)}"#)
    let error = try failure { try bench.signIn(as: Self.user) }
    #expect(error?.signIn == expected)
    #expect(try bench.accounts().isEmpty)
    #expect(bench.browser.lastPage.withLock { !$0.contains("Signed in<") })
    try bench.signIn(as: Self.user)
  }

  @Test func aTruncatedTokenResponseFailsTheSignIn() throws {
    let bench = try SignInBench()
    for ending in ["half", "cut"] {
      try bench.provider.fault(#"{"grant": "authorization_code", "ending": "\#(ending)"}"#)
      guard case .transport? = try failure(of: { try bench.signIn(as: Self.user) })?.signIn else {
        Issue.record("\(ending)")
        continue
      }
      #expect(try bench.accounts().isEmpty)
    }
  }

  @Test func rfc9700_section4_12_aTokenRequestFollowsNoRedirect() throws {
    let bench = try SignInBench()
    let elsewhere = try ProviderProcess()
    for status in [301, 302, 303, 307, 308] {
      try bench.provider.fault(
        #"{"redirect": "\#(elsewhere.url)/common/oauth2/v2.0/token", "status": \#(status)}"#)
      let error = try failure { try bench.signIn(as: Self.user) }
      #expect(error?.signIn == .badAnswer(.redirect))
    }
    #expect(try elsewhere.log().isEmpty)
    #expect(try bench.accounts().isEmpty)
  }

  @Test func rfc8414_section3_3_invalidMetadataFailsTheSignIn() throws {
    let bench = try SignInBench()
    let acquisition = bench.acquisition()
    for (plan, expected) in [
      (#""set": {"issuer": "https://evil.example/v2.0"}"#, SignInError.badDiscovery(.issuer)),
      (#""set": {"token_endpoint": 1}"#, .badDiscovery(.field("token_endpoint"))),
      (
        #""set": {"token_endpoint": "http://evil.example/t"}"#,
        .badDiscovery(.endpoint("token_endpoint"))
      ),
      (#""raw": "[]""#, .badDiscovery(.notJSON)),
      (#""redirect": "https://evil.example/""#, .badDiscovery(.status(307))),
      (#""status": 500"#, .badDiscovery(.status(500))),
      (
        #""set": {"code_challenge_methods_supported": ["plain"]}"#, .notOffered(.pkce)
      ),
    ] {
      try bench.provider.fault(#"{"endpoint": "discovery", \#(plan)}"#)
      let error = try failure {
        try bench.acquisition().interactive(
          InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
      }
      #expect(error?.signIn == expected)
    }
    #expect(bench.browser.opened.withLock { $0.isEmpty })
    let result = try acquisition.interactive(
      InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
    #expect(result.account.username == Self.user)
  }

  @Test func unavailableProviderKeysFailTheSignIn() throws {
    let bench = try SignInBench()
    try bench.provider.fault(#"{"endpoint": "keys", "status": 500}"#)
    let error = try failure { try bench.signIn(as: Self.user) }
    #expect(error?.signIn == .idToken(.keysUnavailable))
    #expect(try bench.accounts().isEmpty)
  }

  @Test func rfc9207_section2_4_aResponseWithoutItsIssuerIsRefused() throws {
    let bench = try SignInBench()
    bench.browser.script.withLock {
      $0 = { browser, url in
        let location = try browser.signIn(at: url, as: Self.user)
        _ = try RawHTTP.send("GET", location.replacing(#/&iss=[^&]*/#, with: ""))
      }
    }
    let application = try bench.application("contoso.example/v2.0")
    let error = try failure { try bench.signIn(as: Self.user, application) }
    #expect(error?.signIn == .issuerMismatch)
    #expect(try bench.accounts().isEmpty)
  }
}
