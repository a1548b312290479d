import Foundation
import Testing
import TokenVaultTestSupport

/// The product at glewlwyd, which follows the standards less than it should.
@Suite("tokenvault at glewlwyd")
struct GlewlwydTests {
  private static func signIn(_ provider: Glewlwyd, _ more: [String]) -> [String] {
    [
      "sign-in", "--client-id", "tool", "--authority", provider.issuer, "--scope", "offline",
    ] + more
  }

  private static func signIn(
    at provider: Glewlwyd, in browser: HeadlessBrowser, _ desk: Desk, _ more: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ran = try desk.run(
      signIn(
        provider,
        ["--redirect-uri", provider.redirectURI, "--browser", "\(browser.command.path) %s"] + more))
    try #require(ran.status == 0, "\(ran.errors)", sourceLocation: sourceLocation)
    let page = try browser.nextPage()
    #expect(page.outcome == .redirect, sourceLocation: sourceLocation)
    #expect(page.text.hasPrefix("Signed in"), sourceLocation: sourceLocation)
  }

  @Test("Refreshes without ID tokens, a refusal without a word, a revocation that is refused")
  func wholeLife() throws {
    let provider = try Glewlwyd()
    let browser = try HeadlessBrowser(.ada)
    let desk = try Desk()
    try Self.signIn(at: provider, in: browser, desk)
    let people = try desk.accounts()
    #expect(people.count == 1)
    let stolen = try #require(try desk.refreshTokens().first)
    var tokens = [try desk.succeed("token")]
    for _ in 0..<2 { tokens.append(try desk.succeed("token", "--force-refresh")) }
    #expect(Set(tokens).count == 3)
    #expect(try desk.accounts() == people)

    // A used token again: glewlwyd ends the family.
    let form = "grant_type=refresh_token&client_id=tool&refresh_token=\(stolen)"
    let answer = try RawHTTP.send(
      "POST", provider.issuer + "/token",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.utf8))
    #expect(answer.status == 400)
    #expect(answer.body.isEmpty)
    let kept = try desk.refreshTokens()
    let refused = try desk.run("token", "--force-refresh")
    #expect(refused.status == 4, "\(refused.errors)")
    #expect(refused.errors.contains("invalid_grant"), "\(refused.errors)")
    #expect(refused.errors.contains("tokenvault sign-in --client-id tool"), "\(refused.errors)")
    // It said nothing about the token, so that stays, as does all else.
    #expect(try desk.refreshTokens() == kept)
    #expect(try desk.succeed("token") == tokens.last)
    #expect(try desk.accounts() == people)

    // Its page for that is empty without an ID token in the address, which is none of ours to give
    // away: the browser is left alone here.
    let left = try desk.run("sign-out", "--all", "--yes")
    #expect(left.status == 0, "\(left.errors)")
    #expect(left.output.contains("NOT REVOKED  127.0.0.1"), "\(left.output)")
    #expect(try desk.accounts() == [])
    #expect(try desk.run("token").status != 0)
  }

  @Test("Two people in one browser are two accounts, and each keeps their own tokens")
  func twoPeople() throws {
    let provider = try Glewlwyd()
    let profile = try BrowserProfile()
    let ada = try HeadlessBrowser(.ada, profile: profile)
    let bob = try HeadlessBrowser(.bob, profile: profile)
    let desk = try Desk()
    try Self.signIn(at: provider, in: ada, desk)
    try Self.signIn(at: provider, in: bob, desk, "--prompt", "select_account")
    let people = try desk.accounts()
    #expect(people.count == 2)
    try Self.signIn(at: provider, in: ada, desk, "--prompt", "login")
    #expect(try desk.accounts() == people)
    for account in people {
      try desk.succeed("token", "--force-refresh", "--account", account)
    }
    try desk.succeed("sign-out", people[0])
    #expect(try desk.accounts() == Array(people.dropFirst()))
    try desk.succeed("token", "--force-refresh", "--account", people[1])
  }

  @Test("A device's code is typed into the page, and the command goes on by itself")
  func device() throws {
    let provider = try Glewlwyd()
    let browser = try HeadlessBrowser(.bob)
    let desk = try Desk()
    let running = try desk.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .device)
    let ran = try running.wait()
    #expect(ran.status == 0, "\(ran.errors)")
    try desk.succeed("token", "--force-refresh")
  }
}
