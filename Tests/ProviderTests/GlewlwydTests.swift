import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault` at glewlwyd, a provider that deviates from the standards.
@Suite(.timeLimit(.minutes(10))) struct GlewlwydTests {
  private static func signIn(_ provider: Glewlwyd, _ more: [String]) -> [String] {
    [
      "sign-in", "--client-id", "tool", "--authority", provider.issuer, "--scope", "offline",
    ] + more
  }

  private static func signIn(
    at provider: Glewlwyd, in browser: HeadlessBrowser, _ workstation: Workstation,
    _ more: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ran = try workstation.run(
      signIn(
        provider,
        ["--redirect-uri", provider.redirectURI, "--browser", "\(browser.command.path) %s"] + more))
    let page = try browser.nextPage()
    try #require(ran.status == 0, "\(ran.errors)\(page)", sourceLocation: sourceLocation)
    #expect(page.outcome == .redirect, sourceLocation: sourceLocation)
    #expect(page.text.hasPrefix("Signed in"), sourceLocation: sourceLocation)
  }

  @Test func glewlwydRefreshesWithoutIDTokensAndRefusesWithoutABody() throws {
    let provider = try Glewlwyd()
    let browser = try HeadlessBrowser(.ada)
    let workstation = try Workstation()
    try Self.signIn(at: provider, in: browser, workstation)
    let people = try workstation.accounts()
    #expect(people.count == 1)
    let stolen = try #require(try workstation.refreshTokens().first)
    var tokens = [try workstation.succeed("token")]
    for _ in 0..<2 { tokens.append(try workstation.succeed("token", "--force-refresh")) }
    #expect(Set(tokens).count == 3)
    #expect(try workstation.accounts() == people)

    // glewlwyd revokes the family when a refresh token is reused.
    let form = "grant_type=refresh_token&client_id=tool&refresh_token=\(stolen)"
    let answer = try RawHTTP.send(
      "POST", provider.issuer + "/token",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.utf8))
    #expect(answer.status == 400)
    #expect(answer.body.isEmpty)
    let kept = try workstation.refreshTokens()
    let refused = try workstation.run("token", "--force-refresh")
    // A proxy may have sent it, so it does not count as a refusal of the refresh token.
    #expect(refused.status == 76, "\(refused.errors)")
    #expect(refused.errors.contains("answered 400 without an OAuth error"), "\(refused.errors)")
    #expect(refused.errors.contains("tokenvault sign-in --client-id tool"), "\(refused.errors)")
    // The answer says nothing about the refresh token, so that the vault keeps it.
    #expect(try workstation.refreshTokens() == kept)
    #expect(try workstation.succeed("token") == tokens.last)
    #expect(try workstation.accounts() == people)

    // glewlwyd's sign-out page is empty without an ID token in its URL. tokenvault never puts one
    // there, so that this sign-out leaves the browser out.
    let left = try workstation.run("sign-out", "--all", "--yes")
    #expect(left.status == 0, "\(left.errors)")
    #expect(left.output.contains("NOT REVOKED  127.0.0.1"), "\(left.output)")
    #expect(try workstation.accounts() == [])
    #expect(try workstation.run("token").status != 0)
  }

  @Test func twoUsersOfOneBrowserAtGlewlwydAreTwoAccounts() throws {
    let provider = try Glewlwyd()
    let profile = try BrowserProfile()
    let ada = try HeadlessBrowser(.ada, profile: profile)
    let bob = try HeadlessBrowser(.bob, profile: profile)
    let workstation = try Workstation()
    try Self.signIn(at: provider, in: ada, workstation)
    try Self.signIn(at: provider, in: bob, workstation, "--prompt", "select_account")
    let people = try workstation.accounts()
    #expect(people.count == 2)
    try Self.signIn(at: provider, in: ada, workstation, "--prompt", "login")
    #expect(try workstation.accounts() == people)
    for account in people {
      try workstation.succeed("token", "--force-refresh", "--account", account)
    }
    try workstation.succeed("sign-out", people[0])
    #expect(try workstation.accounts() == Array(people.dropFirst()))
    try workstation.succeed("token", "--force-refresh", "--account", people[1])
  }

  @Test func aDeviceCodeSignsInAtGlewlwyd() throws {
    let provider = try Glewlwyd()
    let browser = try HeadlessBrowser(.bob)
    let workstation = try Workstation()
    let running = try workstation.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .device)
    let ran = try running.wait()
    #expect(ran.status == 0, "\(ran.errors)")
    try workstation.succeed("token", "--force-refresh")
  }
}
