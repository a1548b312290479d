import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// The token endpoint's side of RFC 6749, RFC 7009 and RFC 9700, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct TokenRulesTests {
  private static let good = JSONValue.object([
    .init("access_token", .string("at")), .init("token_type", .string("Bearer")),
    .init("expires_in", .number("3600")), .init("scope", .string("read openid")),
    .init("refresh_token", .string("rt")),
  ])

  private func answer(
    _ changes: [String: JSONValue?] = [:], status: Int = 200
  ) throws -> TokenResponse {
    try TokenResponse(HTTPResponse(status: status, body: Self.good.with(changes).bytes))
  }

  private func validated(
    _ changes: [String: JSONValue?] = [:], asked: String = "read", account: String? = "person"
  ) throws -> ValidatedTokens {
    let keys = document([try TestSigner.shared.get().jwk()])
    let (endpoint, provider) = try endpoint(script: { _ in HTTPResponse(status: 200, body: keys) })
    return try ValidatedTokens(
      try answer(changes), of: endpoint, keys: ProviderKeys(transport: provider),
      expecting: .init(
        scopes: ScopeSet(target: asked), account: account.map { HomeAccountID($0) }), now: now)
  }

  @Test func rfc6749_section5_1_theFieldsOfTheResponseAreUsed() throws {
    let answer = try answer([
      "ext_expires_in": .string("7200"), "refresh_in": .number("1800"), "foci": .string("1"),
    ])
    #expect(answer.accessToken.reveal() == "at")
    #expect(answer.refreshToken?.reveal() == "rt")
    #expect(answer.expiresIn == 3600)
    #expect(answer.extendedExpiresIn == 7200)
    #expect(answer.refreshIn == 1800)
    #expect(answer.familyID == "1")
    #expect(answer.scopes == ScopeSet(["openid", "read"]))
  }

  @Test func rfc6749_section5_1_aResponseWithoutScopesGrantsTheRequestedOnes() throws {
    for value in [missing, .string(""), .null] {
      let validated = try validated(["scope": value], asked: "read write")
      #expect(validated.granted == ScopeSet(["read", "write"]))
      #expect(validated.declined.isEmpty)
    }
  }

  @Test func rfc6749_section5_1_aMissingScopeWasDeclined() throws {
    let validated = try validated(asked: "read write openid offline_access")
    #expect(validated.declined == ["write"])
    // A repeated request in the same words must find the token.
    #expect(ScopeSet(target: "read openid offline_access").isSubset(of: validated.granted))
    #expect(!ScopeSet(["write"]).isSubset(of: validated.granted))
  }

  @Test func microsoftGraphsScopesMatchWithAndWithoutTheirResource() throws {
    let long = "https://graph.microsoft.com/User.Read"
    for (granted, asked) in [("User.Read", long), (long, "user.read"), (long, long)] {
      let validated = try validated(["scope": .string(granted)], asked: asked)
      #expect(validated.declined.isEmpty)
      #expect(ScopeSet([asked]).isSubset(of: validated.granted))
    }
    let other = try validated(
      ["scope": .string("User.Read")], asked: "https://api.example/User.Read")
    #expect(other.declined == ["https://api.example/User.Read"])
  }

  @Test func rfc6749_section5_1_theDefaultLifetimeIsTenMinutes() throws {
    #expect(try answer(["expires_in": missing]).expiresIn == 600)
    #expect(try answer(["expires_in": .number("99999999999")]).expiresIn == 315_360_000)
  }

  @Test func rfc6749_section7_1_unknownTokenTypesAreRefused() throws {
    #expect(throws: SignInError.badAnswer(.field("token_type"))) {
      try answer(["token_type": missing])
    }
    for type in ["mac", "DPoP", "N_A", "bearer2"] {
      #expect(throws: SignInError.badAnswer(.tokenType)) {
        try validated(["token_type": .string(type)])
      }
    }
    _ = try validated(["token_type": .string("bEaReR")])
  }

  @Test(
    .parity("MSALInternalErrorUnhandledResponse -42007", "MSALInternalErrorInvalidResponse -42600"),
    arguments: [
      ("access_token", JSONValue.number("1")), ("access_token", .array([])),
      ("access_token", .null),
      ("access_token", .string("")), ("access_token", .string("a b")),
      ("access_token", .string("a\r\nX: y")), ("token_type", .object([])),
      ("expires_in", .string("soon")), ("expires_in", .number("-1")), ("expires_in", .bool(true)),
      ("expires_in", .number("1e400")), ("refresh_in", .array([])),
      ("ext_expires_in", .string("")), ("refresh_token", .bool(false)),
      ("refresh_token", .string("a\u{0}b")), ("id_token", .object([])), ("scope", .array([])),
      ("foci", .number("1")), ("client_info", .string("not base64url of JSON")),
      ("client_info", .object([])), ("scope", .string("caf\u{e9}")),
    ])
  func rfc6749_section5_1_aFieldOfTheWrongTypeIsRefused(name: String, value: JSONValue) {
    #expect(throws: SignInError.badAnswer(.field(name))) { try answer([name: value]) }
  }

  @Test(.parity("MSALErrorServerError -50006"))
  func aResponseThatIsNoJSONObjectIsRefused() {
    let bodies = ["", "[]", "null", "\"text\"", "{", "<html>", "{\"a\":1}{"]
    let broken: [[UInt8]] = [[0xff, 0xfe], Array(Self.good.bytes.dropLast(3))]
    for body in bodies.map({ Array($0.utf8) }) + broken {
      for status in [200, 400, 500] {
        #expect(throws: SignInError.badAnswer(.notJSON(status: status))) {
          try TokenResponse(HTTPResponse(status: status, body: body))
        }
      }
    }
  }

  @Test(.parity("MSALInternalErrorUnexpectedHttpResponse -42009"))
  func aTokenWithAnotherStatusThan200IsRefused() {
    for status in [201, 204, 400, 500] {
      #expect(throws: SignInError.badAnswer(.notJSON(status: status))) {
        try answer(status: status)
      }
    }
  }

  @Test(.parity("MSALInternalErrorNonHttpsRedirect -42602"))
  func rfc9700_section4_12_aRedirectedTokenRequestFails() {
    for status in [301, 302, 303, 307, 308] {
      #expect(throws: SignInError.badAnswer(.redirect)) { try answer(status: status) }
    }
  }

  @Test(
    .parity(
      "MSALErrorDomain", "MSALOAuthErrorKey", "MSALOAuthSubErrorKey", "MSALErrorDescriptionKey",
      "MSALSTSErrorCodesKey", "MSALInternalErrorCodeKey", "MSALCorrelationIDKey",
      "MSALHTTPResponseCodeKey", "MSALErrorInternal -50000",
      "MSALInternalErrorInvalidRequest -42002", "MSALInternalErrorInvalidClient -42003",
      "MSALInternalErrorInvalidScope -42005", "MSALInternalErrorUnauthorizedClient -42006"),
    arguments: [
      "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client",
      "unsupported_grant_type", "invalid_scope",
    ])
  func rfc6749_section5_2_anErrorIsReportedWhateverTheStatus(code: String) {
    let body = Self.good.with([
      "error": .string(code), "error_description": .string("First\nsecond"),
      "suberror": .string("bad_token"), "error_codes": .array([.number("50173"), .string("x")]),
      "correlation_id": .string("c-2"), "claims": .string("{}"),
    ])
    for status in [200, 400, 401] {
      let expected = OAuthError(
        code: code, text: "First", suberror: "bad_token", numbers: [50173], correlationID: "c-2",
        claims: "{}", status: status)
      #expect(throws: SignInError.provider(expected)) {
        try TokenResponse(HTTPResponse(status: status, body: body.bytes))
      }
      #expect(!"\(expected)".contains("First"))
    }
  }

  @Test func rfc6749_section4_1_3_theCodeIsSentWithTheSameRedirectURIAndTheVerifier() throws {
    let (endpoint, provider) = try endpoint(script: { _ in HTTPResponse(status: 400) })
    _ = try endpoint.redeem(
      code: Redacted("c&d"), verifier: Redacted("v"), redirectURI: "http://127.0.0.1:99/x",
      scopes: ScopeSet(["read"]), claims: nil,
      extra: FormParameters(["code_verifier": "forged", "grant_type": "password", "more": "1"]))
    let request = try #require(provider.requests.first)
    let form = try #require(request.form)
    #expect(request.method == "POST")
    #expect(request.address.query == nil)
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["code"] == "c&d")
    #expect(form["redirect_uri"] == "http://127.0.0.1:99/x")
    #expect(form["code_verifier"] == "v")
    #expect(form["client_id"] == "app")
    #expect(form["more"] == "1")
    #expect(!form.hasRepeats)
    #expect(
      request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") })
  }

  @Test(.parity("MSALHTTPConfig.retryCount"))
  func rfc9700_section4_14_2_onlyRequestsThatCannotHaveArrivedAreSentAgain() throws {
    let retried: [TransportError] = [
      .refused(host: "h"), .unknownHost("h"), .unreachableProxy,
    ]
    let final: [TransportError] = [
      .timedOut(host: "h"), .unreachable(host: "h"), .notHTTP(host: "h"), .tooLarge(limit: 1),
      .untrusted(host: "h"), .noTLS(host: "h"), .other(code: 1), .noLibrary,
    ]
    for (errors, count) in [(retried, 3), (final, 1)] {
      for error in errors {
        let (endpoint, provider) = try endpoint(
          script: { _ throws(TransportError) in throw error }) { $0.retryCount = 2 }
        #expect(throws: SignInError.transport(error)) {
          try endpoint.refresh(
            Redacted("rt"), scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
        }
        #expect(provider.requests.count == count, "\(error)")
      }
    }
    let (busy, provider) = try endpoint(script: { _ in HTTPResponse(status: 503) }) {
      $0.retryCount = 2
    }
    _ = try busy.refresh(
      Redacted("rt"), scopes: ScopeSet(["read"]), claims: nil, extra: FormParameters())
    #expect(provider.requests.count == 1)
  }

  @Test func rfc7009_section2_1_aTokenIsRevokedByAForm() throws {
    let (endpoint, provider) = try endpoint(script: { _ in HTTPResponse(status: 200) })
    #expect(try endpoint.revoke(Redacted("rt"), hint: "refresh_token"))
    let request = try #require(provider.requests.first)
    #expect(request.address.description == "https://id.example/revoke")
    #expect(request.form?["token"] == "rt")
    #expect(request.form?["token_type_hint"] == "refresh_token")
    #expect(request.form?["client_id"] == "app")
  }

  @Test func rfc7009_section2_2_1_anErrorIsReportedAndAMissingEndpointIsNone() throws {
    let refused = JSONValue.texts(["error": "unsupported_token_type"])
    let (endpoint, _) = try endpoint(script: { _ in HTTPResponse(status: 400, body: refused.bytes) }
    )
    #expect(
      throws: SignInError.provider(OAuthError(code: "unsupported_token_type", status: 400))
    ) { try endpoint.revoke(Redacted("rt"), hint: "refresh_token") }
    let (down, _) = try TokenVaultSignInTests.endpoint(script: { _ in HTTPResponse(status: 503) })
    #expect(throws: SignInError.badAnswer(.notJSON(status: 503))) {
      try down.revoke(Redacted("rt"), hint: "refresh_token")
    }
    let (without, provider) = try TokenVaultSignInTests.endpoint(["revocation_endpoint": missing])
    #expect(try !without.revoke(Redacted("rt"), hint: "refresh_token"))
    #expect(provider.requests.isEmpty)
  }

  @Test func oidcCore_12_2_aRefreshForAnotherSubjectIsRefused() throws {
    let signer = try TestSigner.shared.get()
    func idToken(_ changes: [String: JSONValue?]) throws -> [String: JSONValue?] {
      var own: [String: JSONValue?] = ["iss": .string("https://id.example"), "nonce": missing]
      own.merge(changes) { $1 }
      return ["id_token": .string(try signer.token(own))]
    }
    #expect(try validated(idToken([:])).idToken?.subject == "person")
    #expect(throws: SignInError.idToken(.subject)) {
      try validated(idToken(["sub": .string("Person")]))
    }
    #expect(throws: SignInError.idToken(.issuer)) {
      try validated(idToken(["iss": .string("https://evil.example")]))
    }
    #expect(throws: SignInError.idToken(.audience)) {
      try validated(idToken(["aud": .string("other")]))
    }
    #expect(throws: SignInError.badAnswer(.nobody)) { try validated(account: nil) }
  }
}
