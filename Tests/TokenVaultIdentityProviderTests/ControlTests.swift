import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct ControlTests {
  let client: Client

  init() throws { client = try Client() }

  @Test func aFaultAffectsTheGivenNumberOfRequests() throws {
    let token = try client.signIn().text("refresh_token")
    try client.provider.fault(
      #"{"grant":"refresh_token","count":2,"status":429,"retryAfter":7}"#)
    for _ in 0..<2 {
      let answer = try client.refresh(token)
      #expect(answer.status == 429)
      #expect(answer.headers["retry-after"] == "7")
    }
    #expect(try client.refresh(token).status == 200)
  }

  @Test func aFaultCanBeAnErrorWithSuberrorAndClaims() throws {
    try client.provider.fault(
      #"{"error":"interaction_required","suberror":"message_only","code":50079,"claims":"{}"}"#)
    let answer = try client.refresh("x")
    #expect(answer.error == "interaction_required")
    #expect(answer.text("suberror") == "message_only")
    #expect(answer.text("claims") == "{}")
    #expect(answer.object["error_codes"] as? [Int] == [50079])
  }

  @Test func aFaultCanCutOffTheAnswerOfAProcessedRefresh() throws {
    let first = try client.signIn()
    for ending in ["cut", "half"] {
      try client.provider.fault("{\"ending\":\"\(ending)\"}")
      #expect(throws: RawHTTP.Failure.self) {
        try client.refresh(first.text("refresh_token"))
      }
    }
    #expect(try client.provider.counter("refreshes") == 1)
    #expect(try client.provider.counter("reuses") == 1)
    #expect(try client.provider.log().last?["ending"] as? String == "half")
  }

  @Test func aHangingAnswerDoesNotDelayOtherRequests() throws {
    let token = try client.signIn().text("refresh_token")
    try client.provider.fault(#"{"ending":"hang"}"#)
    let (client, url) = (client, client.provider.url)
    let thread = Thread {
      // The connection ends without an answer when the provider ends.
      do { _ = try client.refresh(token) } catch {}
    }
    thread.start()
    while try client.provider.counter("refreshes") == 0 {}
    #expect(try RawHTTP.send("GET", url + "/v1.0/me").status == 401)
  }

  @Test func aFaultCanSetAndRemoveMembers() throws {
    try client.provider.fault(
      #"{"remove":["access_token"],"set":{"expires_in":"soon","extra":[1]}}"#)
    let answer = try client.signIn()
    #expect(answer.object["access_token"] == nil)
    #expect(answer.text("expires_in") == "soon")
    #expect(answer.text("id_token").isEmpty == false)
    try client.provider.fault(
      #"{"endpoint":"discovery","set":{"issuer":"https://attacker.example"}}"#)
    let document = try client.get("/common/v2.0/.well-known/openid-configuration", nil)
    #expect(document.text("issuer") == "https://attacker.example")
  }

  @Test func aFaultCanSetTheSizeTheRedirectAndTheBody() throws {
    try client.provider.fault(#"{"size":3000000}"#)
    #expect(try client.refresh("x").body.count == 3_000_000)
    try client.provider.fault(#"{"redirect":"http://127.0.0.1:9/","status":302}"#)
    #expect(try client.refresh("x").headers["location"] == "http://127.0.0.1:9/")
    try client.provider.fault(#"{"raw":"<html>","headers":{"Content-Type":"text/html"}}"#)
    let page = try client.refresh("x")
    #expect(page.text == "<html>")
    #expect(page.headers["content-type"] == "text/html")
  }

  @Test func aFaultCanMakeAnInvalidIDToken() throws {
    func faulty(_ how: String) throws -> RawHTTP.Answer {
      try client.provider.fault("{\"idToken\":\"\(how)\"}")
      return try client.signIn()
    }
    let good = try client.signIn()
    #expect(
      try faulty("otherIssuer").claims(of: "id_token")["iss"] as? String
        == "https://attacker.example/v2.0")
    #expect(try faulty("wrongNonce").claims(of: "id_token")["nonce"] as? String != "a nonce")
    #expect(try faulty("wrongAudience").claims(of: "id_token")["aud"] as? String != client.id)
    let expiry = try faulty("expired").claims(of: "id_token")["exp"] as? Double ?? .infinity
    #expect(expiry < Date().timeIntervalSince1970)
    #expect(try faulty("none").header(of: "id_token")["alg"] as? String == "none")
    #expect(try faulty("none").text("id_token").hasSuffix("."))
    #expect(try faulty("hs256").header(of: "id_token")["alg"] as? String == "HS256")
    #expect(try faulty("noKeyID").header(of: "id_token")["kid"] == nil)
    #expect(
      try faulty("badSignature").text("id_token").hasSuffix(String(repeating: "A", count: 342)))
    let other = try faulty("otherKey")
    #expect(
      other.header(of: "id_token")["kid"] as? String == good.header(of: "id_token")["kid"]
        as? String)
  }

  @Test func keyRotationKeepsOrRemovesTheOldKeys() throws {
    func keys() throws -> [String] {
      let all =
        try client.get("/common/discovery/v2.0/keys", nil).object["keys"] as? [[String: Any]]
      return all?.compactMap { $0["kid"] as? String } ?? []
    }
    let first = try keys()
    try client.provider.control("rotate-keys")
    #expect(try keys().count == 2)
    #expect(try keys().starts(with: first))
    try client.provider.control("rotate-keys?keep=false")
    #expect(try keys().count == 1)
    #expect(try client.signIn().header(of: "id_token")["kid"] as? String == keys().first)
  }

  @Test func theLogListsRequestsWithoutSecrets() throws {
    let tokens = try client.signIn()
    _ = try client.refresh(tokens.text("refresh_token"))
    let log = try client.provider.report("log").text
    #expect(log.contains(#""grant_type":"refresh_token""#))
    for name in ["access_token", "refresh_token", "id_token"] {
      #expect(!log.contains(tokens.text(name)))
    }
    #expect(!log.contains(Client.verifier))
  }

  @Test func aWebPageCannotControlTheProvider() throws {
    let answer = try RawHTTP.send(
      "POST", client.provider.url + "/control/reset", headers: ["Origin": "https://x.example"])
    #expect(answer.status == 403)
  }

  @Test(arguments: [#"{"misspelt":1}"#, #"{"rotation":"yes"}"#, "[]", "{"])
  func aWrongSettingIsRefused(_ text: String) {
    #expect(throws: ProviderProcess.Failure.self) { try client.provider.change(text) }
    #expect(throws: ProviderProcess.Failure.self) { try client.provider.fault(text) }
  }
}
