import Foundation
import Testing
import TokenVaultTestSupport

/// Requests that a tolerant parser would accept. The provider refuses them, so that a client that
/// sends one fails its tests.
@Suite(.timeLimit(.minutes(5))) struct MalformedRequestTests {
  let client: Client

  init() throws { client = try Client() }

  private func post(
    _ endpoint: String, _ body: String,
    type: String? = "application/x-www-form-urlencoded"
  ) throws -> RawHTTP.Answer {
    try RawHTTP.send(
      "POST", client.provider.url + client.realm + endpoint,
      headers: type.map { ["Content-Type": $0] } ?? [:], body: Data(body.utf8))
  }

  private func codeForm(_ code: String) -> String {
    Client.form([
      "grant_type": "authorization_code", "client_id": client.id, "code": code,
      "redirect_uri": Client.redirect, "code_verifier": Client.verifier,
    ])
  }

  @Test(arguments: [
    "a=%", "a=%4", "a=%zz", "a=%ff", "a=b c", "a=é", "a=\"", "a={}", "a=b#c", "a=b\r\n", "=b",
    "&&a=b",
  ])
  func aMalformedFormIsRefusedAndNotProcessed(_ text: String) throws {
    let code = try client.code()
    let refused = try post("/token", codeForm(code) + "&" + text)
    #expect(refused.status == 400)
    #expect(refused.error == "invalid_request")
    // The code is still unused.
    #expect(try client.redeem(code).status == 200)
  }

  @Test(arguments: ["client_id=x", "code=", "scope=openid&scope=openid", "made_up=1&made%5fup=2"])
  func rfc6749_3_2_aRepeatedFormParameterIsRefusedAndNotProcessed(_ text: String) throws {
    let code = try client.code()
    let refused = try post("/token", codeForm(code) + "&" + text)
    #expect(refused.status == 400)
    #expect(refused.error == "invalid_request")
    #expect(try client.redeem(code).status == 200)
  }

  @Test func everyEndpointForClientsRefusesARepeatedParameter() throws {
    for endpoint in ["/token", "/devicecode", "/revoke"] {
      let refused = try post(endpoint, "client_id=\(client.id)&token=a&token=a")
      #expect(refused.error == "invalid_request", "\(endpoint)")
    }
    let logout = try post("/logout", "client_id=a&client_id=a")
    #expect(logout.status == 400)
  }

  @Test(arguments: [
    nil, "application/json", "text/plain", "application/x-www-form-urlencoded-too",
    "multipart/form-data",
  ])
  func onlyTheMediaTypeOfFormsIsAForm(_ type: String?) throws {
    let code = try client.code()
    #expect(try post("/token", codeForm(code), type: type).error == "invalid_request")
    let parameter = "application/x-www-form-urlencoded; charset=UTF-8"
    #expect(try post("/token", codeForm(code), type: parameter).status == 200)
  }

  @Test func rfc6749_3_2_anEmptyParameterCountsAsOmitted() throws {
    let code = try client.code()
    #expect(try post("/token", codeForm(code) + "&client_secret=&scope=").status == 200)
    let refused = try client.redeem(try client.code(), ["client_id": ""])
    #expect(refused.error == "invalid_request")
  }

  @Test(arguments: ["a=%", "a=%zz", "a=%ff", "a=\"", "a={}", "a=|", "=b", "&&a=b"])
  func aMalformedQueryIsRefusedWithoutARedirect(_ text: String) throws {
    let page = try client.browser.open(client.authorizeURL() + "&" + text)
    #expect(page.status == 400)
    #expect(page.headers["location"] == nil)
  }

  @Test func aMalformedPathIsRefused() throws {
    #expect(try client.get("/v1.0/m%65", nil).status == 401)
    for path in ["/v1.0/m%", "/v1.0/m%6", "/v1.0/%ffme"] {
      #expect(try client.get(path, nil).status == 400, "\(path)")
    }
  }

  @Test(arguments: [
    // Padding, the other alphabet, bits of no byte, and one character too many.
    Client.challenge + "=", String(Client.challenge.dropLast()) + "N", Client.challenge + "A",
    Client.challenge.replacing("-", with: "+"), Client.challenge.replacing("w", with: "/"),
  ])
  func aCodeChallengeThatIsNotBase64URLIsRefused(_ challenge: String) throws {
    let page = try client.browser.open(client.authorizeURL(["code_challenge": challenge]))
    #expect(Client.parameters(page.headers["location"])["error"] == "invalid_request")
  }
}
