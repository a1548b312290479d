import Foundation
import Testing
import TokenVaultTestSupport

@Suite("Making the provider fail")
struct ControlTests {
  let client: Client

  init() throws { client = try Client() }

  @Test func theNextRequestsFailAsToldAndThenNoMore() throws {
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

  @Test func anErrorIsMadeWithItsSuberrorAndClaims() throws {
    try client.provider.fault(
      #"{"error":"interaction_required","suberror":"message_only","code":50079,"claims":"{}"}"#)
    let answer = try client.refresh("x")
    #expect(answer.error == "interaction_required")
    #expect(answer.text("suberror") == "message_only")
    #expect(answer.text("claims") == "{}")
    #expect(answer.object["error_codes"] as? [Int] == [50079])
  }

  @Test func aRefreshCanHappenWithoutItsAnswer() throws {
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

  @Test func aHangingAnswerHoldsUpNobodyElse() throws {
    let token = try client.signIn().text("refresh_token")
    try client.provider.fault(#"{"ending":"hang"}"#)
    let (client, url) = (client, client.provider.url)
    let thread = Thread {
      // It ends, without an answer, with the provider.
      do { _ = try client.refresh(token) } catch {}
    }
    thread.start()
    while try client.provider.counter("refreshes") == 0 {}
    #expect(try RawHTTP.send("GET", url + "/v1.0/me").status == 401)
  }

  @Test func anAnswerLosesAndGainsMembers() throws {
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

  @Test func anAnswerOfAnySizeAndPlace() throws {
    try client.provider.fault(#"{"size":3000000}"#)
    #expect(try client.refresh("x").body.count == 3_000_000)
    try client.provider.fault(#"{"redirect":"http://127.0.0.1:9/","status":302}"#)
    #expect(try client.refresh("x").headers["location"] == "http://127.0.0.1:9/")
    try client.provider.fault(#"{"raw":"<html>","headers":{"Content-Type":"text/html"}}"#)
    let page = try client.refresh("x")
    #expect(page.text == "<html>")
    #expect(page.headers["content-type"] == "text/html")
  }

  @Test func idTokensAreSpoilt() throws {
    func spoilt(_ how: String) throws -> RawHTTP.Answer {
      try client.provider.fault("{\"idToken\":\"\(how)\"}")
      return try client.signIn()
    }
    let good = try client.signIn()
    #expect(
      try spoilt("otherIssuer").claims(of: "id_token")["iss"] as? String
        == "https://attacker.example/v2.0")
    #expect(try spoilt("wrongNonce").claims(of: "id_token")["nonce"] as? String != "a nonce")
    #expect(try spoilt("wrongAudience").claims(of: "id_token")["aud"] as? String != client.id)
    let expiry = try spoilt("expired").claims(of: "id_token")["exp"] as? Double ?? .infinity
    #expect(expiry < Date().timeIntervalSince1970)
    #expect(try spoilt("none").header(of: "id_token")["alg"] as? String == "none")
    #expect(try spoilt("none").text("id_token").hasSuffix("."))
    #expect(try spoilt("hs256").header(of: "id_token")["alg"] as? String == "HS256")
    #expect(try spoilt("noKeyID").header(of: "id_token")["kid"] == nil)
    #expect(
      try spoilt("badSignature").text("id_token").hasSuffix(String(repeating: "A", count: 342)))
    let other = try spoilt("otherKey")
    #expect(
      other.header(of: "id_token")["kid"] as? String == good.header(of: "id_token")["kid"]
        as? String)
  }

  @Test func keysRotateWithTheOldOnesKeptOrNot() throws {
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

  @Test func theLogNamesRequestsAndHoldsNoSecret() throws {
    let tokens = try client.signIn()
    _ = try client.refresh(tokens.text("refresh_token"))
    let log = try client.provider.report("log").text
    #expect(log.contains(#""grant_type":"refresh_token""#))
    for name in ["access_token", "refresh_token", "id_token"] {
      #expect(!log.contains(tokens.text(name)))
    }
    #expect(!log.contains(Client.verifier))
  }

  @Test func aWebPageCannotSteerIt() throws {
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
