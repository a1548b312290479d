import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct IntrospectionTests {
  private let client: Client

  init() throws { client = try Client(#"{"resourceServer": "mail:secret"}"#) }

  private func ask(
    _ parameters: [String: String?], as caller: String? = "mail:secret"
  ) throws -> RawHTTP.Answer {
    var headers = ["Content-Type": "application/x-www-form-urlencoded"]
    headers["Authorization"] = caller.map { "Basic " + Data($0.utf8).base64EncodedString() }
    return try RawHTTP.send(
      "POST", client.provider.url + client.realm + "/introspect", headers: headers,
      body: Data(Client.form(parameters).utf8))
  }

  private func isActive(_ token: String) throws -> Bool? {
    try ask(["token": token]).object["active"] as? Bool
  }

  @Test func aResourceServerLearnsWhoseTokenItIs() throws {
    let token = try client.signIn().text("access_token")
    let answer = try ask(["token": token])
    #expect(answer.object["active"] as? Bool == true)
    #expect(answer.text("username") == "ada@contoso.example")
    #expect(answer.text("client_id") == ProviderProcess.client)
    #expect(answer.text("scope").contains("User.Read"))
  }

  @Test func aTokenThatIsNotValidNowIsInactive() throws {
    let tokens = try client.signIn()
    #expect(try isActive("made-up") == false)
    #expect(try isActive(tokens.text("refresh_token")) == false)
    try client.provider.advanceClock(by: 3600)
    #expect(try isActive(tokens.text("access_token")) == false)
    let next = try client.refresh(tokens.text("refresh_token")).text("access_token")
    #expect(try isActive(next) == true)
    try client.provider.control("revoke-user?username=ada@contoso.example")
    #expect(try isActive(next) == false)
  }

  @Test func nobodyElseMayAsk() throws {
    let token = try client.signIn().text("access_token")
    for caller in [nil, "mail:wrong", "other:secret", ""] {
      #expect(try ask(["token": token], as: caller).status == 401)
    }
    #expect(try ask([:]).status == 400)
    try client.provider.change(#"{"resourceServer": ""}"#)
    #expect(try ask(["token": token], as: ":").status == 404)
  }
}
