import Foundation
import Testing
import TokenVaultTestSupport

/// Third-party providers and a real browser without `tokenvault`. A failure here is not an error in
/// `tokenvault`.
@Suite(.timeLimit(.minutes(10))) struct HarnessTests {
  @Test func nanoIDPIssuesACodeRotatesDetectsReuseAndRevokes() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let report = try RawClient(provider, .code, in: browser, signsOut: true).run()
    #expect(report.stateMatches == true)
    #expect(report.nonceMatches == true)
    #expect(report.tokens?.status == 200)
    #expect(report.refreshed?.status == 200)
    #expect(report.rotated == true)
    #expect(report.revoked?.status == 200)
    #expect(report.afterRevocation?.error == "invalid_grant")
    #expect(report.reused?.error == "invalid_grant")
    #expect(report.signedOut == 0)
    #expect(try browser.lastPage().outcome == .signedOut)
  }

  @Test func glewlwydIssuesACodeWithIssAndHasItsKnownDeviations() throws {
    let provider = try Glewlwyd()
    let browser = try HeadlessBrowser(.ada, profile: BrowserProfile())
    let report = try RawClient(provider, .code, in: browser, signsOut: true).run()
    #expect(report.stateMatches == true)
    #expect(report.nonceMatches == true)
    #expect(report.iss == provider.issuer)
    #expect(report.tokens?.status == 200)
    #expect(report.refreshed?.status == 200)
    #expect(report.refreshed?.fields?.contains("id_token") == false)
    #expect(report.rotated == true)
    #expect(report.revoked?.status == 401)
    #expect(report.afterRevocation?.status == 200)
    #expect(report.reused?.status == 400)
    #expect(report.reused?.empty == true)
    #expect(report.signedOut == 0)
    #expect(try browser.lastPage().outcome == .signedOut)
  }

  @Test func glewlwydRemembersUsersAndOffersToPickOrAddOne() throws {
    let provider = try Glewlwyd()
    let profile = try BrowserProfile()
    let ada = try HeadlessBrowser(.ada, profile: profile)
    let bob = try HeadlessBrowser(.bob, profile: profile)
    var users: [String?] = []
    for (browser, prompt) in [
      (ada, nil), (ada, nil), (bob, "select_account"), (ada, "select_account"),
      (ada, "login"),
    ] {
      var client = RawClient(provider, .code, in: browser)
      client.parameters = prompt.map { ["prompt": $0] } ?? [:]
      let report = try client.run()
      #expect(report.tokens?.status == 200)
      users.append(report.user)
    }
    #expect(users[0] != nil)
    #expect(users[2] != users[0])
    #expect(users == [users[0], users[0], users[2], users[0], users[0]])
  }

  @Test func glewlwydSlowsADeviceDownAndThenAuthorizesIt() throws {
    // Long enough for two polls within the interval on a busy machine, too.
    let provider = try Glewlwyd(deviceInterval: 5)
    let browser = try HeadlessBrowser(.bob)
    let report = try RawClient(provider, .device, in: browser).run()
    #expect(report.early == "authorization_pending")
    #expect(report.tooSoon == "slow_down")
    #expect(report.tokens?.status == 200)
    #expect(try browser.lastPage().outcome == .device)
  }
}
