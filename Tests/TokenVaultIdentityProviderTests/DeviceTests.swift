import Foundation
import Testing
import TokenVaultTestSupport

@Suite(.timeLimit(.minutes(5))) struct DeviceTests {
  let client: Client

  init() throws { client = try Client() }

  func start() throws -> RawHTTP.Answer {
    try client.post("/devicecode", ["client_id": client.id, "scope": client.scope])
  }

  func poll(_ start: RawHTTP.Answer) throws -> RawHTTP.Answer {
    try client.post(
      "/token",
      [
        "client_id": client.id, "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": start.text("device_code"), "client_info": "1",
      ])
  }

  @Test func rfc8628_3_5_aPollReturnsTokensOnceAfterTheUserApproves() throws {
    let device = try start()
    #expect(device.text("verification_uri") == client.provider.url + "/devicelogin")
    #expect(try poll(device).error == "authorization_pending")
    try client.browser.approveDevice(device.text("user_code"), as: "grace@contoso.example")
    try client.provider.advanceClock(by: 5)
    let answer = try poll(device)
    #expect(answer.status == 200)
    #expect(
      answer.claims(of: "id_token")["preferred_username"] as? String == "grace@contoso.example")
    try client.provider.advanceClock(by: 5)
    #expect(try poll(device).error == "invalid_grant")
  }

  @Test func rfc8628_3_5_pollingTooOftenIsAnsweredWithSlowDown() throws {
    let device = try start()
    #expect(try poll(device).error == "authorization_pending")
    #expect(try poll(device).error == "slow_down")
    // The interval is now five seconds longer.
    try client.provider.advanceClock(by: 6)
    #expect(try poll(device).error == "slow_down")
    try client.provider.advanceClock(by: 16)
    #expect(try poll(device).error == "authorization_pending")
  }

  @Test func rfc8628_3_5_aCodeExpires() throws {
    let device = try start()
    try client.provider.advanceClock(by: 901)
    #expect(try poll(device).error == "expired_token")
    #expect(throws: ProviderProcess.Failure.self) {
      try client.provider.answerDevice(device.text("user_code"), as: "ada@contoso.example")
    }
  }

  @Test func rfc8628_3_5_aDeniedRequestIsAccessDenied() throws {
    let device = try start()
    try client.provider.answerDevice(device.text("user_code"), as: nil)
    #expect(try poll(device).error == "access_denied")
  }

  @Test func aDeviceCodeBelongsToOneClient() throws {
    let device = try start()
    try client.provider.answerDevice(device.text("user_code"), as: "ada@contoso.example")
    client.id = ProviderProcess.familyClients[0]
    #expect(try poll(device).error == "invalid_grant")
  }

  @Test func aWrongUserCodeShowsAnError() throws {
    _ = try start()
    let page = try client.browser.post(
      client.provider.url + "/devicelogin", ["user_code": "BBBB-BBBB"])
    #expect(page.text.contains(#"id="error""#))
  }
}
