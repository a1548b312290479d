import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct AuthorizeTests {
  @Test(
    arguments: [
      ["client_id": "nobody"], ["redirect_uri": "https://attacker.example/"],
      ["redirect_uri": "http://127.0.0.1:4567/elsewhere"], ["redirect_uri": nil],
      ["redirect_uri": "http://127.0.0.1.attacker.example:4567/"],
      ["redirect_uri": "msauth.com.example.tokenvault://other"],
    ] as [[String: String?]])
  func rfc6749_4_1_2_1_aWrongClientOrRedirectURIShowsAnErrorPageWithoutARedirect(
    _ changes: [String: String?]
  ) throws {
    let client = try Client()
    let page = try client.browser.open(client.authorizeURL(changes))
    #expect(page.status == 400)
    #expect(page.headers["location"] == nil)
    #expect(page.text.contains(#"id="error""#))
  }

  @Test(arguments: [
    "http://127.0.0.1:1/", "http://127.0.0.1:65535/callback", "http://[::1]:81/",
    "http://localhost:8080", "msauth.com.example.tokenvault://auth",
  ])
  func rfc8252_7_3_aLoopbackRedirectMayHaveAnyPort(_ redirect: String) throws {
    let client = try Client()
    let location = try client.browser.signIn(
      at: client.authorizeURL(["redirect_uri": redirect]), as: "ada@contoso.example")
    #expect(location.hasPrefix(redirect + "?code="))
  }

  @Test(
    arguments: [
      (["code_challenge": nil], "invalid_request"),
      (["code_challenge_method": "plain"], "invalid_request"),
      (["code_challenge_method": nil], "invalid_request"),
      (["code_challenge": "short"], "invalid_request"),
      (["response_type": "token"], "unsupported_response_type"),
      (["response_mode": "fragment"], "invalid_request"),
      (["scope": "User.Read"], "invalid_scope"),
      (["scope": "openid Made.Up"], "invalid_scope"),
      (["scope": "openid User.Read https://other.example/x"], "invalid_request"),
      (["prompt": "none login"], "invalid_request"),
      (["prompt": "please"], "invalid_request"),
      (["prompt": "none"], "login_required"),
      (["claims": "not json"], "invalid_request"),
    ] as [([String: String?], String)])
  func aWrongRequestRedirectsWithAnErrorAndTheState(
    _ changes: [String: String?], _ error: String
  ) throws {
    let client = try Client()
    let page = try client.browser.open(client.authorizeURL(changes))
    #expect(page.status == 302)
    let answer = Client.parameters(page.headers["location"])
    #expect(answer["error"] == error)
    #expect(answer["state"] == "a state")
    #expect(answer["code"] == nil)
  }

  @Test func rfc6749_3_1_aRepeatedParameterIsRefused() throws {
    let client = try Client()
    let page = try client.browser.open(client.authorizeURL() + "&scope=openid")
    #expect(Client.parameters(page.headers["location"])["error"] == "invalid_request")
  }

  @Test func rfc9207_theResponseNamesItsIssuerIfDiscoveryPromisesIt() throws {
    let client = try Client()
    client.realm = "/oidc/plain"
    let document = try client.get("/oidc/plain/.well-known/openid-configuration", nil)
    #expect(document.object["authorization_response_iss_parameter_supported"] as? Bool == true)
    #expect(try client.answer()["iss"] == document.text("issuer"))
    try client.provider.change(#"{"issParameter":false}"#)
    #expect(try client.answer()["iss"] == nil)
  }

  @Test func aCancelledSignInIsAccessDenied() throws {
    let client = try Client()
    let page = try client.browser.open(client.authorizeURL())
    let refused = try client.browser.answer(page, ["action": "cancel"])
    #expect(Client.parameters(refused.headers["location"])["error"] == "access_denied")
    // A page can be answered only once.
    let again = try client.browser.answer(page, ["account": "ada@contoso.example"])
    #expect(again.status == 400)
  }

  @Test func aSessionSignsInWithoutAPageUnlessThePromptRequiresOne() throws {
    let client = try Client()
    _ = try client.code()
    #expect(try client.browser.open(client.authorizeURL()).status == 302)
    #expect(try client.browser.open(client.authorizeURL(["prompt": "none"])).status == 302)
    for prompt in ["login", "select_account", "consent", "create"] {
      let page = try client.browser.open(client.authorizeURL(["prompt": prompt]))
      #expect(page.status == 200, "\(prompt)")
    }
    let other = try client.browser.open(
      client.authorizeURL(["prompt": "none", "login_hint": "grace@contoso.example"]))
    #expect(Client.parameters(other.headers["location"])["error"] == "login_required")
    _ = try client.answer(["prompt": "login"], as: "grace@contoso.example")
    let two = try client.browser.open(client.authorizeURL(["prompt": "none"]))
    #expect(Client.parameters(two.headers["location"])["error"] == "interaction_required")
  }

  @Test func aNewScopeNeedsConsentOnce() throws {
    let client = try Client()
    _ = try client.code()
    client.scope = "openid Mail.Read"
    let silent = try client.browser.open(client.authorizeURL(["prompt": "none"]))
    #expect(Client.parameters(silent.headers["location"])["error"] == "consent_required")
    let page = try client.browser.open(client.authorizeURL())
    #expect(page.text.contains("Mail.Read"))
    _ = try client.browser.answer(page, ["action": "accept"])
    #expect(try client.browser.open(client.authorizeURL(["prompt": "none"])).status == 302)
  }

  @Test func promptCreateOffersToCreateAnAccount() throws {
    let client = try Client()
    let page = try client.browser.open(client.authorizeURL(["prompt": "create"]))
    let made = try client.browser.answer(
      page, ["action": "create", "username": "new@personal.example", "name": "New"])
    let code = Client.parameters(made.headers["location"])["code"] ?? ""
    let tokens = try client.redeem(code)
    #expect(
      tokens.claims(of: "id_token")["preferred_username"] as? String == "new@personal.example")
  }

  @Test func aTenantOffersOnlyItsOwnUsersAndGuests() throws {
    let client = try Client()
    let cases = [
      ("/common", ["ada", "linus", "alan"], ["rosalind"]),
      ("/organizations", ["ada", "linus"], ["alan", "rosalind"]),
      ("/consumers", ["alan"], ["ada", "linus"]),
      ("/contoso.example", ["ada", "linus"], ["alan"]),
      ("/fabrikam.example", ["linus"], ["ada", "alan"]),
      ("/tfp/fabrikamb2c.example/b2c_1_si", ["rosalind"], ["ada"]),
    ]
    for (realm, present, absent) in cases {
      client.realm = realm + "/oauth2/v2.0"
      let text = try client.browser.open(client.authorizeURL()).text
      for name in present { #expect(text.contains("id=\"account-\(name)-"), "\(realm) \(name)") }
      for name in absent { #expect(!text.contains("id=\"account-\(name)-"), "\(realm) \(name)") }
    }
  }

  @Test func b2cDistinguishesAForgottenPasswordFromACancelledSignIn() throws {
    let client = try Client()
    client.realm = "/fabrikamb2c.example/b2c_1_si/oauth2/v2.0"
    client.scope = "openid"
    for (action, code) in [("forgot", "AADB2C90118"), ("cancel", "AADB2C90091")] {
      let page = try client.browser.open(client.authorizeURL())
      let answer = Client.parameters(
        try client.browser.answer(page, ["action": action]).headers["location"])
      #expect(answer["error"] == "access_denied")
      #expect(answer["error_description"]?.hasPrefix(code + ":") == true)
    }
  }
}
