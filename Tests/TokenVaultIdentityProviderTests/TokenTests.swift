import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct TokenTests {
  @Test func theTokenResponseHasTheMembersOfEntra() throws {
    let client = try Client()
    let answer = try client.signIn(as: "linus@fabrikam.example")
    #expect(answer.status == 200)
    #expect(answer.text("token_type") == "Bearer")
    #expect(answer.text("scope") == "openid profile User.Read")
    for name in ["expires_in", "ext_expires_in", "refresh_in"] {
      #expect(answer.object[name] is Int, "\(name)")
    }
    let claims = answer.claims(of: "id_token")
    #expect(claims["nonce"] as? String == "a nonce")
    #expect(claims["aud"] as? String == client.id)
    #expect(claims["iss"] as? String == client.provider.url + "/\(claims["tid"] ?? "")/v2.0")
    let info = RawHTTP.Answer(
      status: 200, headers: [:], body: answer.text("client_info").decodedBase64URL)
    #expect(info.text("uid") == claims["oid"] as? String)
    #expect(answer.object["foci"] == nil)
    let keys = try client.get("/common/discovery/v2.0/keys", nil).text
    #expect(keys.contains(answer.header(of: "id_token")["kid"] as? String ?? "none"))
  }

  @Test func aGuestHasAnotherObjectIDInTheOtherTenant() throws {
    let client = try Client()
    let home = try client.signIn(as: "linus@fabrikam.example")
    let guest = try client.refreshed(home, realm: "/contoso.example/oauth2/v2.0")
    #expect(guest.status == 200)
    #expect(guest.text("client_info") == home.text("client_info"))
    let (there, here) = (guest.claims(of: "id_token"), home.claims(of: "id_token"))
    #expect(there["oid"] as? String != here["oid"] as? String)
    #expect(there["tid"] as? String != here["tid"] as? String)
  }

  @Test func onlyOfflineAccessGivesARefreshToken() throws {
    let client = try Client()
    client.scope = "openid User.Read"
    #expect(try client.signIn().object["refresh_token"] == nil)
  }

  @Test(
    arguments: [
      (["code_verifier": "wrongwrongwrongwrongwrongwrongwrongwrongwrong"], "invalid_grant"),
      (["code_verifier": nil], "invalid_grant"),
      (["redirect_uri": "http://127.0.0.1:4568/"], "invalid_grant"),
      (["redirect_uri": nil], "invalid_grant"),
      (["client_id": ProviderProcess.familyClients[0]], "invalid_grant"),
      (["client_id": nil], "invalid_request"),
      (["client_id": "nobody"], "unauthorized_client"),
      (["client_secret": "x"], "invalid_client"),
      (["grant_type": "password"], "unsupported_grant_type"),
      (["scope": "openid Mail.Read"], "invalid_grant"),
      (["code": "0.made-up"], "invalid_grant"),
    ] as [([String: String?], String)])
  func aCodeIsValidForItsOwnRequestOnly(_ changes: [String: String?], _ error: String) throws {
    let client = try Client()
    let answer = try client.redeem(try client.code(), changes)
    #expect((400...401).contains(answer.status))
    #expect(answer.error == error)
    #expect(answer.object["access_token"] == nil)
    #expect(answer.text("error_description").hasPrefix("AADSTS"))
  }

  @Test func rfc7636_aWrongVerifierInvalidatesTheCode() throws {
    let client = try Client()
    let code = try client.code()
    #expect(
      try client.redeem(code, ["code_verifier": String(repeating: "x", count: 43)]).status == 400)
    #expect(try client.redeem(code).status == 400)
  }

  @Test func rfc6749_4_1_2_usingACodeTwiceRevokesItsTokens() throws {
    let client = try Client()
    let code = try client.code()
    let tokens = try client.redeem(code)
    #expect(try client.get("/v1.0/me", tokens.text("access_token")).status == 200)
    #expect(try client.redeem(code).error == "invalid_grant")
    #expect(try client.get("/v1.0/me", tokens.text("access_token")).status == 401)
    #expect(try client.refresh(tokens.text("refresh_token")).error == "invalid_grant")
  }

  @Test func aCodeExpires() throws {
    let client = try Client()
    let code = try client.code()
    try client.provider.advanceClock(by: 61)
    #expect(try client.redeem(code).error == "invalid_grant")
  }

  @Test func rfc9700_4_14_aReusedRefreshTokenRevokesItsFamily() throws {
    let client = try Client()
    let first = try client.signIn()
    let second = try client.refresh(first.text("refresh_token"))
    #expect(second.status == 200)
    #expect(second.text("refresh_token") != first.text("refresh_token"))
    #expect(second.claims(of: "id_token")["nonce"] == nil)
    #expect(try client.refresh(first.text("refresh_token")).error == "invalid_grant")
    #expect(try client.refresh(second.text("refresh_token")).text("suberror") == "bad_token")
    #expect(try client.get("/v1.0/me", second.text("access_token")).status == 401)
    #expect(try client.provider.counter("familiesKilled") == 1)
    #expect(try client.provider.counter("refreshes") == 1)
  }

  @Test func withoutRotationTheRefreshTokenCanBeUsedAgain() throws {
    let client = try Client(#"{"rotation":false}"#)
    let token = try client.signIn().text("refresh_token")
    for _ in 0..<2 {
      let answer = try client.refresh(token)
      #expect(answer.status == 200)
      #expect(answer.object["refresh_token"] == nil)
    }
  }

  @Test func onlyOneOfManySimultaneousRefreshesSucceeds() throws {
    let client = try Client(#"{"reuseDetection":false}"#)
    let token = try client.signIn().text("refresh_token")
    let results = Results()
    let threads = (0..<16).map { _ in
      Thread {
        do { results.add(try client.refresh(token).status) } catch { results.add(0) }
      }
    }
    for thread in threads { thread.start() }
    #expect(results.wait(for: 16).filter { $0 == 200 }.count == 1)
  }

  @Test func aFamilyRefreshTokenWorksForClientsOfTheFamilyOnly() throws {
    let client = try Client()
    client.id = ProviderProcess.familyClients[0]
    let own = try client.signIn()
    #expect(own.text("foci") == "1")
    let token = own.text("refresh_token")
    let other = try client.refresh(token, ["client_id": ProviderProcess.familyClients[1]])
    #expect(other.status == 200)
    #expect(other.claims(of: "id_token")["aud"] as? String == ProviderProcess.familyClients[1])
    let stranger = try client.refresh(token, ["client_id": ProviderProcess.client])
    #expect(stranger.error == "invalid_grant")
    #expect(stranger.text("suberror") == "client_mismatch")
    #expect(try client.refresh(token).status == 200)
  }

  @Test func aRefreshGetsOnlyConsentedScopes() throws {
    let client = try Client()
    let first = try client.signIn()
    let narrow = try client.refresh(first.text("refresh_token"), ["scope": "openid"])
    #expect(narrow.text("scope") == "openid")
    let wide = try client.refresh(narrow.text("refresh_token"), ["scope": "openid Mail.Read"])
    #expect(wide.error == "invalid_grant")
    #expect(wide.text("suberror") == "consent_required")
    // A refused refresh does not use up the token.
    #expect(try client.refresh(narrow.text("refresh_token")).status == 200)
  }

  @Test func rfc6749_6_aPlainProviderRefusesAWiderScope() throws {
    let client = try Client()
    client.realm = "/oidc/plain"
    client.scope = "openid offline_access"
    let first = try client.signIn()
    #expect(first.object["client_info"] == nil)
    #expect(first.claims(of: "id_token")["at_hash"] is String)
    let wide = try client.refresh(first.text("refresh_token"), ["scope": "openid email"])
    #expect(wide.error == "invalid_scope")
    #expect(wide.object["error_codes"] == nil)
  }

  @Test func aRefreshTokenExpiresAndIsValidAtItsIssuerOnly() throws {
    let client = try Client()
    let token = try client.signIn().text("refresh_token")
    client.realm = "/oidc/plain"
    #expect(try client.refresh(token).error == "invalid_grant")
    client.realm = "/common/oauth2/v2.0"
    try client.provider.advanceClock(by: 7_776_001)
    #expect(try client.refresh(token).text("suberror") == "token_expired")
  }

  @Test func b2cNamesThePolicyInTheTokenAndInTheAccount() throws {
    let client = try Client()
    client.scope = "openid offline_access https://fabrikamb2c.example/api/demo.read"
    for (prefix, claim) in [("/tfp", "tfp"), ("", "acr")] {
      client.realm = prefix + "/fabrikamb2c.example/B2C_1_SI/oauth2/v2.0"
      let answer = try client.signIn(as: "rosalind@customers.example")
      #expect(answer.claims(of: "id_token")[claim] as? String == "b2c_1_si")
      let info = String(decoding: answer.text("client_info").decodedBase64URL, as: UTF8.self)
      #expect(info.contains("-b2c_1_si\""))
      let hello = try client.get("/api/hello", answer.text("access_token"))
      #expect(hello.text("audience") == "https://fabrikamb2c.example/api")
      #expect(try client.get("/v1.0/me", answer.text("access_token")).status == 401)
    }
  }

  @Test func theAnswerEchoesTheCorrelationID() throws {
    let client = try Client()
    let answer = try RawHTTP.send(
      "POST", client.provider.url + "/common/oauth2/v2.0/token",
      headers: [
        "Content-Type": "application/x-www-form-urlencoded", "client-request-id": "a-request",
      ], body: Data("grant_type=refresh_token&client_id=\(client.id)".utf8))
    #expect(answer.text("correlation_id") == "a-request")
    #expect(answer.headers["client-request-id"] == "a-request")
  }
}

/// Collects the results of threads.
private final class Results: @unchecked Sendable {
  private let condition = NSCondition()
  private var all: [Int] = []

  func add(_ status: Int) {
    condition.withLock {
      all.append(status)
      condition.signal()
    }
  }

  func wait(for count: Int) -> [Int] {
    condition.withLock {
      while all.count < count { condition.wait() }
      return all
    }
  }
}
