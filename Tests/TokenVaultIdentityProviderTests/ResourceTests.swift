import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct ResourceTests {
  @Test func aTokenIsCheckedForExpiryScopeAndExistence() throws {
    let client = try Client()
    let token = try client.signIn().text("access_token")
    #expect(try client.get("/v1.0/me", token).text("userPrincipalName") == "ada@contoso.example")
    #expect(try client.get("/v1.0/me/messages", token).status == 403)
    #expect(try client.get("/v1.0/me", nil).status == 401)
    #expect(try client.get("/v1.0/me", "made-up").status == 401)
    try client.provider.advanceClock(by: 3600)
    let late = try client.get("/v1.0/me", token)
    #expect(late.status == 401)
    #expect(late.headers["www-authenticate"]?.contains("invalid_token") == true)
  }

  @Test func messagesComeInPages() throws {
    let client = try Client()
    client.scope = "openid Mail.Read"
    let token = try client.signIn().text("access_token")
    var next: String? = "/v1.0/me/messages"
    var count: [Int] = []
    while let path = next, count.count < 5 {
      let page = try client.get(path, token)
      count.append((page.object["value"] as? [Any])?.count ?? 0)
      let link = page.text("@odata.nextLink")
      next = link.isEmpty ? nil : String(link.dropFirst(client.provider.url.count))
    }
    #expect(count == [10, 10, 5])
  }

  @Test func aTokenRequestedWithTheClaimsMeetsTheClaimsChallenge() throws {
    let client = try Client(#"{"claimsChallenge":true}"#)
    let first = try client.signIn()
    let refused = try client.get("/v1.0/me", first.text("access_token"))
    #expect(refused.status == 401)
    let header = refused.headers["www-authenticate"] ?? ""
    #expect(header.contains("error=\"insufficient_claims\""))
    let encoded = header.firstMatch(of: /claims="([^"]+)"/).map { String($0.output.1) } ?? ""
    let claims = String(decoding: encoded.decodedBase64URL, as: UTF8.self)
    let second = try client.refresh(first.text("refresh_token"), ["claims": claims])
    #expect(try client.get("/v1.0/me", second.text("access_token")).status == 200)
    try client.provider.change(#"{"refreshMeetsClaims":false}"#)
    let third = try client.refresh(second.text("refresh_token"), ["claims": claims])
    #expect(third.error == "interaction_required")
    #expect(third.text("claims") == claims)
    #expect(try client.answer(["claims": claims])["code"] != nil)
  }

  @Test(arguments: ["access_token", "refresh_token"])
  func rfc7009_2_1_revokingEitherTokenRevokesTheSignIn(_ kind: String) throws {
    let client = try Client()
    let tokens = try client.signIn()
    let stranger = try client.post(
      "/revoke", ["client_id": ProviderProcess.familyClients[0], "token": tokens.text(kind)])
    #expect(stranger.status == 400)
    #expect(try client.get("/v1.0/me", tokens.text("access_token")).status == 200)
    for _ in 0..<2 {
      // RFC 7009 section 2.2: an invalid token is not an error.
      let answer = try client.post("/revoke", ["client_id": client.id, "token": tokens.text(kind)])
      #expect(answer.status == 200)
    }
    #expect(try client.get("/v1.0/me", tokens.text("access_token")).status == 401)
    #expect(try client.refresh(tokens.text("refresh_token")).error == "invalid_grant")
    #expect(try client.provider.counter("revocations") == 1)
    try client.provider.change(#"{"revocation":false}"#)
    #expect(try client.post("/revoke", ["client_id": client.id, "token": "x"]).status == 404)
  }

  @Test func endingTheSessionSignsTheBrowserOut() throws {
    let client = try Client()
    let tokens = try client.signIn()
    let target = "http://127.0.0.1:9/"
    let query = Client.form([
      "post_logout_redirect_uri": target, "state": "bye", "id_token_hint": tokens.text("id_token"),
    ])
    let away = try client.browser.open(client.provider.url + client.realm + "/logout?" + query)
    #expect(away.headers["location"] == target + "?state=bye")
    #expect(try client.browser.open(client.authorizeURL()).status == 200)
    let foreign = Client.form([
      "post_logout_redirect_uri": "https://attacker.example/", "client_id": client.id,
    ])
    let stays = try client.browser.open(client.provider.url + client.realm + "/logout?" + foreign)
    #expect(stays.headers["location"] == nil)
    #expect(stays.text.contains(#"id="signed-out""#))
  }

  @Test func aForgedIDTokenHintDoesNotRedirect() throws {
    let client = try Client()
    let token = try client.signIn().text("id_token")
    let forged = token.dropLast(8) + "AAAAAAAA"
    let query = Client.form([
      "post_logout_redirect_uri": "http://127.0.0.1:9/", "id_token_hint": String(forged),
    ])
    let page = try client.browser.open(client.provider.url + client.realm + "/logout?" + query)
    #expect(page.headers["location"] == nil)
  }
}
