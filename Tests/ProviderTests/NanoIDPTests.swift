import Foundation
import Testing
import TokenVaultTestSupport

/// The product at nanoidp, which follows the standards: what people do, by the real program, in a
/// real browser.
@Suite("tokenvault at nanoidp")
struct NanoIDPTests {
  static let redirect = "http://127.0.0.1/callback"

  /// The sign-in as it is typed, up to what a test adds.
  static func signIn(_ provider: NanoIDP, _ more: [String]) -> [String] {
    ["sign-in", "--client-id", "tool", "--authority", provider.issuer] + more
  }

  /// Signs somebody in through the browser.
  static func signIn(
    at provider: NanoIDP, in browser: HeadlessBrowser, _ desk: Desk, _ more: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ran = try desk.run(
      signIn(
        provider,
        ["--redirect-uri", redirect, "--browser", "\(browser.command.path) %s"] + more))
    try #require(ran.status == 0, "\(ran.errors)", sourceLocation: sourceLocation)
    let page = try browser.nextPage()
    #expect(page.outcome == .redirect, sourceLocation: sourceLocation)
    #expect(page.text.hasPrefix("Signed in"), sourceLocation: sourceLocation)
  }

  /// What the provider says to a refresh token.
  static func refreshes(_ token: String, at provider: NanoIDP) throws -> Int {
    let form = "grant_type=refresh_token&client_id=tool&refresh_token=\(token)"
    return try RawHTTP.send(
      "POST", provider.issuer + "/token",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.utf8)
    ).status
  }

  @Test("A whole life: sign-in, cached tokens, rotation, revocation, and the browser's sign-out")
  func wholeLife() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let desk = try Desk()
    try Self.signIn(at: provider, in: browser, desk)
    #expect(try desk.accounts() == ["ada"])

    var tokens = [try desk.succeed("token"), try desk.succeed("token")]
    #expect(tokens[0] == tokens[1])
    var refresh = [try #require(try desk.refreshTokens().first)]
    // Each uses what the one before it was given; a token that is used twice ends them all.
    for _ in 0..<3 {
      tokens.append(try desk.succeed("token", "--force-refresh"))
      refresh += try desk.refreshTokens()
    }
    #expect(Set(tokens).count == 4)
    #expect(Set(refresh).count == 4)
    #expect(try desk.succeed("token") == tokens.last)

    // Several at once make one request, and leave an account that goes on.
    let racers = try (0..<4).map { _ in try desk.start(["token", "--force-refresh"]) }
    let won = try racers.map { try $0.wait() }
    for ran in won where !ran.isKeyringLate { #expect(ran.status == 0, "\(ran.errors)") }
    try desk.succeed("token", "--force-refresh")

    let last = try #require(try desk.refreshTokens().first)
    let ran = try desk.run(
      ["sign-out", "--all", "--yes", "--browser"],
      environment: ["BROWSER": "\(browser.command.path) %s"])
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(ran.output.contains("revoked  127.0.0.1"))
    #expect(!ran.output.contains("NOT REVOKED"))
    #expect(try browser.nextPage().outcome == .signedOut)
    #expect(try Self.refreshes(last, at: provider) == 400)
    #expect(try desk.accounts() == [])
    #expect(try desk.run("token").status != 0)
  }

  @Test("A refresh token that somebody else used: exit 4 names the sign-in, which then helps")
  func stolenToken() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let desk = try Desk()
    try Self.signIn(at: provider, in: browser, desk)
    let cached = try desk.succeed("token")
    let token = try #require(try desk.refreshTokens().first)
    #expect(try Self.refreshes(token, at: provider) == 200)

    let ran = try desk.run("token", "--force-refresh")
    #expect(ran.status == 4)
    #expect(ran.errors.contains("invalid_grant"))
    #expect(ran.errors.contains("tokenvault sign-in --client-id tool --authority"))
    #expect(try desk.accounts() == ["ada"])
    #expect(try desk.succeed("token") == cached)

    try Self.signIn(at: provider, in: browser, desk)
    #expect(try desk.accounts() == ["ada"])
    try desk.succeed("token", "--force-refresh")
  }

  @Test("TLS with a private authority, a path and RFC 9207; the provider's keys may change")
  func tls() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.bob, authorityFile: provider.authorityFile)
    let stranger = try Desk()
    let refused = try stranger.run(Self.signIn(provider, ["--browser", ""]))
    #expect(refused.status == 69)
    #expect(refused.errors.contains("is not trusted here"))

    let desk = try Desk(trusting: provider.authorityFile)
    try Self.signIn(at: provider, in: browser, desk)
    #expect(try desk.accounts() == ["bob"])
    let first = try desk.succeed("token", "--force-refresh")
    try provider.rotateKeys()
    #expect(try desk.succeed("token", "--force-refresh") != first)
  }

  @Test("A device's code is typed into the page, and the command goes on by itself")
  func device() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let desk = try Desk()
    let running = try desk.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .device)
    let ran = try running.wait()
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(ran.output.hasPrefix("signed in  ada"))
    try desk.succeed("token", "--force-refresh")
  }

  @Test("A person refuses the device: the command says so, and nothing is stored")
  func refusedDevice() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada, denies: true)
    let desk = try Desk()
    let running = try desk.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .denied)
    let ran = try running.wait()
    #expect(ran.status == 76)
    #expect(ran.errors.contains("The sign-in was declined at the provider"))
    #expect(try desk.accounts() == [])
  }

  @Test("A wrong password comes to no end: the wait ends in its time, and nothing is stored")
  func wrongPassword() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(ProviderUser("ada", password: "wrong"))
    let desk = try Desk()
    let running = try desk.start(
      Self.signIn(
        provider,
        [
          "--redirect-uri", Self.redirect, "--browser", "\(browser.command.path) %s",
          "--timeout", "10s",
        ]))
    #expect(try browser.nextPage().outcome == nil)
    let ran = try running.wait()
    #expect(ran.status == 4)
    #expect(ran.errors.contains("The sign-in was not finished in time; nothing was stored."))
    #expect(try desk.accounts() == [])
  }
}
