import Testing
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultTestSupport

@testable import TokenVaultSignIn

/// The authorization request through the browser, rule by rule.
@Suite(.timeLimit(.minutes(5))) struct AuthorizationRulesTests {
  private static let redirect = "http://127.0.0.1:4567/back"

  private func session(
    _ changes: [String: JSONValue?] = [:], authority: String = "https://id.example",
    redirect: String = redirect, _ change: (inout InteractiveRequest) -> Void = { _ in }
  ) throws -> AuthorizationSession {
    var request = InteractiveRequest(scopes: ScopeSet(["read"]))
    change(&request)
    return try AuthorizationSession(
      request, of: endpoint(changes, authority: authority).endpoint, redirectURI: redirect)
  }

  private func request(
    _ parameters: KeyValuePairs<String, String?>, host: String = "127.0.0.1:4567",
    method: String = "GET", path: String = "/back", more: String = ""
  ) throws -> RedirectRequest {
    let head =
      "\(method) \(path)?\(FormParameters(parameters).encoded) HTTP/1.1\r\nHost: \(host)\r\n"
      + more + "\r\n"
    guard case .request(let request) = RedirectRequest.read(Array(head.utf8)) else {
      throw SignInError.badRedirect
    }
    return request
  }

  private func failure(
    _ session: AuthorizationSession, _ parameters: KeyValuePairs<String, String?>
  ) throws -> SignInError? {
    guard case .failure(let error)? = session.evaluate(try request(parameters)).answer else {
      return nil
    }
    return error
  }

  private func code(
    _ session: AuthorizationSession, _ request: RedirectRequest
  ) -> String? {
    guard case .code(let code)? = session.evaluate(request).answer else { return nil }
    return code.reveal()
  }

  @Test func rfc7636_appendixB_theExampleHasTheExpectedChallenge() throws {
    #expect(
      try AuthorizationSession.challenge(Redacted("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"))
        == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }

  @Test func rfc7636_section4_everySignInUsesS256WithANewVerifier() throws {
    var seen = Set<String>()
    for _ in 0..<20 {
      let session = try session()
      let verifier = session.verifier.reveal()
      #expect(verifier.utf8.count == 43)
      #expect(Base64URL.decode(verifier)?.count == 32)
      let parameters = session.address.parameters
      #expect(parameters["code_challenge_method"] == "S256")
      #expect(
        parameters["code_challenge"] == (try AuthorizationSession.challenge(session.verifier)))
      #expect(!session.address.description.contains(verifier))
      #expect(seen.insert(verifier).inserted)
    }
  }

  @Test func rfc7636_section4_2_aProviderThatOffersOnlyPlainIsRefused() throws {
    #expect(throws: SignInError.notOffered(.pkce)) {
      try session(["code_challenge_methods_supported": .array([.string("plain")])])
    }
    _ = try session([
      "code_challenge_methods_supported": .array([.string("plain"), .string("S256")])
    ])
  }

  @Test(.parity("MSALTokenParameters.extraQueryParameters"))
  func rfc9700_section2_1_1_extraParametersCannotReplaceProtocolParameters() throws {
    let forged = [
      "code_challenge": "x", "code_challenge_method": "plain", "state": "s", "nonce": "n",
      "redirect_uri": "https://evil.example", "client_id": "evil", "response_type": "token",
      "mine": "1",
    ]
    let parameters = try session { $0.extraParameters = forged }.address.parameters
    for (name, value) in forged where name != "mine" { #expect(parameters[name] != value) }
    #expect(parameters["mine"] == "1")
    #expect(!parameters.hasRepeats)
  }

  @Test(
    .parity(
      "MSALTokenParameters.scopes", "MSALInteractiveTokenParameters.promptType",
      "MSALInteractiveTokenParameters.loginHint", "MSALInteractiveTokenParameters.domainHint",
      "MSALInteractiveTokenParameters.extraScopesToConsent"))
  func rfc6749_section4_1_1_theRequestContainsItsParameters() throws {
    let parameters = try session {
      $0.extraScopesToConsent = ScopeSet(["later"])
      $0.prompt = .selectAccount
      $0.loginHint = "ada@contoso.example"
      $0.domainHint = "contoso.example"
    }.address.parameters
    #expect(parameters["response_type"] == "code")
    #expect(parameters["client_id"] == "app")
    #expect(parameters["redirect_uri"] == Self.redirect)
    #expect(parameters["scope"] == "read later openid profile offline_access")
    #expect(parameters["prompt"] == "select_account")
    #expect(parameters["login_hint"] == "ada@contoso.example")
    #expect(parameters["domain_hint"] == "contoso.example")
    #expect(parameters["response_mode"] == nil)
    #expect(try session().address.parameters["prompt"] == nil)
  }

  @Test func rfc6749_section4_1_2_aMatchingResponseYieldsItsCode() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    #expect(code(session, try request(["code": "abc", "state": state])) == "abc")
  }

  private func stray(_ session: AuthorizationSession, _ request: RedirectRequest) -> StrayRequest? {
    guard case .stray(let reason) = session.evaluate(request) else { return nil }
    return reason
  }

  @Test func rfc6749_section10_12_aResponseWithAnotherStateDoesNotEndTheWait() throws {
    let session = try session()
    let other = try self.session().address.parameters["state"]
    let forged: [KeyValuePairs<String, String?>] = [
      ["code": "abc", "state": other], ["code": "abc"], ["code": "abc", "state": ""],
      ["error": "access_denied", "state": other], ["error": "access_denied"],
      ["code": "a", "code": "b", "state": other], ["state": other, "state": ""],
      ["code": "abc", "state": other, "iss": "https://evil.example"],
    ]
    for parameters in forged {
      let hasState = parameters.contains { $0.key == "state" }
      #expect(
        stray(session, try request(parameters)) == (hasState ? .state : .noState),
        "\(parameters)")
    }
    var malformed = try request(["code": "abc"])
    malformed = RedirectRequest(
      method: "GET", path: malformed.path, query: "state=%zz", host: malformed.host, fetchMode: "")
    #expect(stray(session, malformed) == .noState)
  }

  @Test(.parity("MSALInternalErrorInvalidResponse -42600"))
  func rfc6749_section3_1_aResponseWithARepeatedParameterIsRefused() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    #expect(try failure(session, ["code": "a", "code": "b", "state": state]) == .badRedirect)
    #expect(try failure(session, ["code": "a", "state": state, "state": state]) == .badRedirect)
    #expect(try failure(session, ["code": "", "state": state]) == .badRedirect)
    #expect(try failure(session, ["state": state]) == .badRedirect)
  }

  @Test(
    .parity("MSALErrorServerError -50006", "MSALInternalErrorAuthorizationFailed -42104"),
    arguments: [
      "invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope",
      "server_error", "temporarily_unavailable", "interaction_required",
    ])
  func rfc6749_section4_1_2_1_anErrorResponseIsReported(code: String) throws {
    let session = try session()
    let state = session.address.parameters["state"]
    let error = try failure(
      session,
      [
        "error": code, "error_description": "Line one\nline two", "error_subcode": "cause",
        "state": state, "code": "abc",
      ])
    #expect(error == .provider(OAuthError(code: code, text: "Line one", suberror: "cause")))
  }

  @Test func rfc6749_section4_1_2_1_aDeclinedSignInIsDistinctFromAFailure() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    func answer(_ text: String?) throws -> SignInError? {
      try failure(
        session, ["error": "access_denied", "error_description": text, "state": state])
    }
    #expect(try answer(nil) == .userCancelled)
    #expect(try answer("AADB2C90118: forgotten") == .passwordResetRequested)
    #expect(try answer("AADB2C90091: left") == .policyCancelled)
    #expect(try failure(session, ["error": "a \"b\"", "state": state]) == .badRedirect)
  }

  @Test(
    .parity("MSALSTSErrorCodesKey", "MSALErrorServerInvalidRequestResetPasswordRequired -50142"))
  func anErrorThroughTheBrowserHasMicrosoftsNumbers() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    func answer(_ code: String, _ text: String) throws -> OAuthError? {
      guard
        case .provider(let error)? = try failure(
          session, ["error": code, "error_description": text, "state": state])
      else { return nil }
      return error
    }
    let reset = try answer(
      "invalid_request", "AADSTS50142: Password change is required. Trace ID: 1 AADSTS50131: x")
    #expect(reset?.numbers == [50142, 50131])
    #expect(reset?.code == "invalid_request")
    #expect(
      try answer("server_error", "AADSTS: AADSTSx, AADSTS99999999999999999999")?.numbers == [])
    // A conditional access policy refused; the user did not decline.
    #expect(try answer("access_denied", "AADSTS53003: Blocked.")?.numbers == [53003])
    #expect(try answer("access_denied", "AADSTS65004: The user declined.") == nil)
    let wanted = try answer("unauthorized_client", "AADSTS530021: Use a protected application.")
    #expect(wanted?.code == "unauthorized_client")
  }

  @Test func aResponseAboutTheConsentOfAnAdministratorIsNoSignIn() throws {
    let guid = "c0000000-0000-4000-8000-00000000c001"
    let entra = "https://login.example/\(guid)/v2.0"
    let session = try session(["issuer": .string(entra)], authority: entra)
    let page = try #require(session.adminConsentPage)
    #expect(page.path == "/\(guid)/v2.0/adminconsent")
    let state = session.address.parameters["state"]
    #expect(page.parameters["state"] == state)
    #expect(page.parameters["redirect_uri"] == Self.redirect)
    func consent(_ parameters: KeyValuePairs<String, String?>) throws -> String? {
      guard case .consent(let tenant)? = session.evaluate(try request(parameters)).answer else {
        return nil
      }
      return tenant
    }
    #expect(
      try consent(["admin_consent": "True", "tenant": guid, "state": state]) == guid)
    #expect(try consent(["admin_consent": "True", "tenant": guid, "state": "x"]) == nil)
    #expect(try consent(["admin_consent": "False", "tenant": guid, "state": state]) == nil)
    #expect(try consent(["admin_consent": "True", "tenant": "x", "state": state]) == nil)
    #expect(
      try consent(["admin_consent": "True", "tenant": guid, "code": "c", "state": state]) == nil)
    for parameters: KeyValuePairs<String, String?> in [
      ["error": "access_denied", "admin_consent": "True", "state": state],
      ["error": "access_denied", "error_description": "AADSTS90094: x", "state": state],
      ["error": "consent_required", "error_description": "AADSTS65001: x", "state": state],
    ] {
      guard case .adminConsentRequired(let page, _)? = try failure(session, parameters) else {
        Issue.record("\(parameters)")
        continue
      }
      // The page for an administrator belongs to no sign-in.
      #expect(page.parameters["state"] == nil)
    }
    #expect(try self.session().adminConsentPage == nil)
  }

  @Test func rfc9207_section2_4_anAnnouncedIssuerMustBePresent() throws {
    let session = try session(["authorization_response_iss_parameter_supported": .bool(true)])
    let state = session.address.parameters["state"]
    #expect(try failure(session, ["code": "abc", "state": state]) == .issuerMismatch)
    let own = try request(["code": "abc", "state": state, "iss": "https://id.example"])
    #expect(code(session, own) == "abc")
  }

  @Test func rfc9207_section2_4_anotherIssuerIsRefusedEvenIfUnannounced() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    for issuer in ["https://evil.example", "https://id.example/", ""] {
      #expect(
        try failure(session, ["code": "a", "state": state, "iss": issuer]) == .issuerMismatch)
      #expect(
        try failure(session, ["error": "e", "state": state, "iss": issuer]) == .issuerMismatch)
    }
  }

  @Test func rfc9207_section2_4_anIssuerForAllTenantsMatchesAnyTenantsGUID() throws {
    let host = "https://login.microsoftonline.com/"
    let changes = Dictionary(
      uniqueKeysWithValues: (description.members ?? []).map { member in
        (
          member.name,
          JSONValue?.some(
            .string(
              member.name == "issuer" ? host + "{tenantid}/v2.0" : host + "common/\(member.name)"))
        )
      })
    let session = try session(changes, authority: host + "common")
    let state = session.address.parameters["state"]
    let guid = "c0000000-0000-4000-8000-00000000c001"
    let own = try request(["code": "abc", "state": state, "iss": "\(host)\(guid)/v2.0"])
    #expect(code(session, own) == "abc")
    for issuer in [
      "\(host)v2.0", "\(host)/v2.0", "\(host)contoso/v2.0", "\(host)\(guid)/x/v2.0",
      "\(host)\(guid)/v2.0/", "https://evil.example/\(guid)/v2.0", "\(host){tenantid}/v2.0",
    ] {
      #expect(
        try failure(session, ["code": "a", "state": state, "iss": issuer]) == .issuerMismatch,
        "\(issuer)")
    }
  }

  @Test func rfc8252_section8_3_foreignRequestsDoNotEndTheWait() throws {
    let session = try session()
    let state = session.address.parameters["state"]
    let good: KeyValuePairs<String, String?> = ["code": "abc", "state": state]
    // DNS rebinding: the browser sends the host name of the foreign page.
    for host in ["evil.example:4567", "127.0.0.1", "localhost:4567", "127.0.0.1:4568", ""] {
      #expect(stray(session, try request(good, host: host)) == .host, "\(host)")
    }
    #expect(stray(session, try request(good, method: "POST")) == .method)
    #expect(stray(session, try request(good, path: "/other")) == .path)
    #expect(stray(session, try request(good, path: "/back/")) == .path)
    #expect(stray(session, try request([:])) == .path)
    for field in [
      "Sec-Fetch-Mode: no-cors", "Sec-Fetch-Mode: cors", "Sec-Fetch-Mode: websocket",
      "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: frame",
      "Sec-Fetch-Dest: image", "Sec-Fetch-Dest: object", "Sec-Fetch-Dest: empty",
    ] { #expect(stray(session, try request(good, more: field + "\r\n")) == .embedded, "\(field)") }
    for field in ["Sec-Purpose: prefetch;prerender", "Purpose: prefetch", "X-Moz: prefetch"] {
      #expect(stray(session, try request(good, more: field + "\r\n")) == .prefetch, "\(field)")
    }
    var others = try request(good)
    others.isOfOtherUser = true
    #expect(stray(session, others) == .otherUser)
    // The provider's page redirects the whole window.
    let fields =
      "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n"
    #expect(code(session, try request(good, more: fields)) == "abc")
  }

  @Test func theBrowsersStartPageRedirectsOnceAndOnlyANavigationOfThisUser() throws {
    let provider = try #require(HTTPURL("https://id.example/authorize?state=s&nonce=n"))
    var page = try StartPage(provider)
    #expect(try StartPage(provider).path != page.path)
    func status(
      _ change: (inout RedirectRequest) -> Void = { _ in }, path: String? = nil,
      method: String = "GET", host: String = "127.0.0.1:4567", more: String = ""
    ) throws -> Int? {
      var asked = try request(
        [:], host: host, method: method, path: path ?? page.path, more: more)
      change(&asked)
      return page.evaluate(asked, host: "127.0.0.1:4567")?.status
    }
    // None of these uses the page up.
    #expect(try status(path: "/start/") == nil)
    #expect(try status(path: page.path + "x") == nil)
    #expect(try status({ $0.isOfOtherUser = true }) == nil)
    #expect(try status(method: "HEAD") == 405)
    #expect(try status(host: "evil.example:4567") == 421)
    #expect(try status(more: "Sec-Purpose: prefetch\r\n") == 503)
    #expect(try status(more: "Sec-Fetch-Dest: iframe\r\n") == 403)
    let first = page.evaluate(try request([:], path: page.path), host: "127.0.0.1:4567")
    #expect(first?.status == 303)
    #expect(first?.location == provider)
    #expect(first?.isAnswer == false)
    #expect(try status() == 410)
  }

  @Test func rfc8252_section7_1_aResponseThroughAPrivateSchemeIsAccepted() throws {
    let session = try session(redirect: "msauth.com.example.tokenvault://auth")
    let state = session.address.parameters["state"]
    let query = FormParameters(["code": "abc", "state": state]).encoded
    #expect(code(session, RedirectRequest(path: "//auth", query: query)) == "abc")
    #expect(session.evaluate(RedirectRequest(path: "//other", query: query)).answer == nil)
  }

  @Test(
    .parity(
      "MSALPublicClientApplicationConfig.redirectUri", "MSALRedirectUri.url",
      "PublicClientApplication.acquire_token_interactive port", "public.WithRedirectURI"),
    arguments: [
      ("http://127.0.0.1/", "http://127.0.0.1/"), ("http://127.0.0.1:80/a", "http://127.0.0.1/a"),
      ("http://[::1]:8080/cb", "http://[::1]:8080/cb"), ("http://localhost", "http://localhost"),
      ("msauth.com.example://auth", "msauth.com.example://auth"),
      ("Com.Example.App:/back", "com.example.app:/back"),
    ])
  func rfc8252_section7_redirectURIsOfNativeAppsAreAccepted(text: String, normal: String) throws {
    #expect(try RedirectURI(text).description == normal)
  }

  @Test(
    .parity("MSALInternalErrorInvalidRedirectURI -42011"),
    arguments: [
      "https://app.example/cb", "https://127.0.0.1/", "http://app.example/", "http://10.0.0.1/",
      "http://127.0.0.2/", "http://localhost.evil.example/", "http://127.0.0.1/?a=b",
      "http://127.0.0.1/#f", "myapp://auth", "javascript:alert(1)", "com.example.app:",
      "com.example.app:/a b", "com.example.app://x?y", "com.example\n.app:/",
      "urn:ietf:wg:oauth:2.0:oob",
      "",
    ])
  func rfc8252_section7_otherRedirectURIsAreRefused(text: String) {
    #expect(throws: SignInError.invalidRedirectURI) { try RedirectURI(text) }
  }

  @Test func rfc8252_section7_3_theStandardRedirectURIHasNoFixedPort() throws {
    guard case .loopback(.v4, port: nil, path: "/") = RedirectURI.standard else {
      Issue.record("\(RedirectURI.standard)")
      return
    }
  }
}
