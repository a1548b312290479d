import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault` at nanoidp, a provider that follows the standards, with a real browser.
@Suite(.timeLimit(.minutes(10))) struct NanoIDPTests {
  static let redirect = "http://127.0.0.1/callback"

  /// The arguments of a sign-in.
  static func signIn(_ provider: NanoIDP, _ more: [String]) -> [String] {
    ["sign-in", "--client-id", "tool", "--authority", provider.issuer] + more
  }

  /// Signs a user in with the browser.
  static func signIn(
    at provider: NanoIDP, in browser: HeadlessBrowser, _ workstation: Workstation,
    _ more: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ran = try workstation.run(
      signIn(
        provider,
        ["--redirect-uri", redirect, "--browser", "\(browser.command.path) %s"] + more))
    try #require(ran.status == 0, "\(ran.errors)", sourceLocation: sourceLocation)
    let page = try browser.nextPage()
    #expect(page.outcome == .redirect, sourceLocation: sourceLocation)
    #expect(page.text.hasPrefix("Signed in"), sourceLocation: sourceLocation)
  }

  /// The status of the provider's answer to a refresh token.
  static func statusOfRefresh(_ token: String, at provider: NanoIDP) throws -> Int {
    let form = "grant_type=refresh_token&client_id=tool&refresh_token=\(token)"
    return try RawHTTP.send(
      "POST", provider.issuer + "/token",
      headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Data(form.utf8)
    ).status
  }

  @Test(.parity("ClientApplication.oidc_authority"))
  func anAccountSignsInRefreshesAndSignsOutOfTheBrowser() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let workstation = try Workstation()
    try Self.signIn(at: provider, in: browser, workstation)
    #expect(try workstation.accounts() == ["ada"])

    var tokens = [try workstation.succeed("token"), try workstation.succeed("token")]
    #expect(tokens[0] == tokens[1])
    var refresh = [try #require(try workstation.refreshTokens().first)]
    // Each refresh must use the token of the previous one, because reuse revokes the family.
    for _ in 0..<3 {
      tokens.append(try workstation.succeed("token", "--force-refresh"))
      refresh += try workstation.refreshTokens()
    }
    #expect(Set(tokens).count == 4)
    #expect(Set(refresh).count == 4)
    #expect(try workstation.succeed("token") == tokens.last)

    // Simultaneous refreshes make one request and leave an account that still works.
    let racers = try (0..<4).map { _ in try workstation.start(["token", "--force-refresh"]) }
    let won = try racers.map { try $0.wait() }
    for ran in won where !ran.isKeyringLate { #expect(ran.status == 0, "\(ran.errors)") }
    try workstation.succeed("token", "--force-refresh")

    let last = try #require(try workstation.refreshTokens().first)
    let ran = try workstation.run(
      ["sign-out", "--all", "--yes", "--browser"],
      environment: ["BROWSER": "\(browser.command.path) %s"])
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(ran.output.contains("revoked  127.0.0.1"))
    #expect(!ran.output.contains("NOT REVOKED"))
    #expect(try browser.nextPage().outcome == .signedOut)
    #expect(try Self.statusOfRefresh(last, at: provider) == 400)
    #expect(try workstation.accounts() == [])
    #expect(try workstation.run("token").status != 0)
  }

  @Test func afterAStolenRefreshTokenTheErrorNamesTheSignInThatHelps() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let workstation = try Workstation()
    try Self.signIn(at: provider, in: browser, workstation)
    let cached = try workstation.succeed("token")
    let token = try #require(try workstation.refreshTokens().first)
    #expect(try Self.statusOfRefresh(token, at: provider) == 200)

    let ran = try workstation.run("token", "--force-refresh")
    #expect(ran.status == 4)
    #expect(ran.errors.contains("invalid_grant"))
    #expect(ran.errors.contains("tokenvault sign-in --client-id tool --authority"))
    #expect(try workstation.accounts() == ["ada"])
    #expect(try workstation.succeed("token") == cached)

    try Self.signIn(at: provider, in: browser, workstation)
    #expect(try workstation.accounts() == ["ada"])
    try workstation.succeed("token", "--force-refresh")
  }

  @Test func aPrivateAuthorityAPathAndKeyRotationWork() throws {
    let provider = try NanoIDP(.forMSAL)
    let browser = try HeadlessBrowser(.bob, authorityFile: provider.authorityFile)
    let stranger = try Workstation()
    let refused = try stranger.run(Self.signIn(provider, ["--browser", ""]))
    #expect(refused.status == 69)
    #expect(refused.errors.contains("The certificate of \"127.0.0.1\" is not trusted"))

    let workstation = try Workstation(trusting: provider.authorityFile)
    try Self.signIn(at: provider, in: browser, workstation)
    #expect(try workstation.accounts() == ["bob"])
    let first = try workstation.succeed("token", "--force-refresh")
    try provider.rotateKeys()
    #expect(try workstation.succeed("token", "--force-refresh") != first)
  }

  @Test(
    .parity(
      "PublicClientApplication.initiate_device_flow",
      "PublicClientApplication.acquire_token_by_device_flow",
      "public.Client.AcquireTokenByDeviceCode"))
  func aDeviceCodeSignsInAtNanoIDP() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada)
    let workstation = try Workstation()
    let running = try workstation.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .device)
    let ran = try running.wait()
    #expect(ran.status == 0, "\(ran.errors)")
    #expect(ran.output.hasPrefix("signed in  ada"))
    try workstation.succeed("token", "--force-refresh")
  }

  @Test func aDeniedDeviceIsReportedAndNothingIsStored() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(.ada, denies: true)
    let workstation = try Workstation()
    let running = try workstation.start(Self.signIn(provider, ["--device-code"]))
    let (page, code) = try running.code()
    try Data(code.utf8).write(to: browser.codeFile)
    #expect(try browser.visit(page).outcome == .denied)
    let ran = try running.wait()
    #expect(ran.status == 76)
    #expect(ran.errors.contains("The sign-in was declined at the provider"))
    #expect(try workstation.accounts() == [])
  }

  @Test func afterAWrongPasswordTheSignInTimesOutAndNothingIsStored() throws {
    let provider = try NanoIDP()
    let browser = try HeadlessBrowser(ProviderUser("ada", password: "wrong"))
    let workstation = try Workstation()
    let running = try workstation.start(
      Self.signIn(
        provider,
        [
          "--redirect-uri", Self.redirect, "--browser", "\(browser.command.path) %s",
          "--timeout", "10s",
        ]))
    #expect(try browser.nextPage().outcome == nil)
    let ran = try running.wait()
    #expect(ran.status == 4)
    #expect(ran.errors.contains("The sign-in was not finished within 10 s; nothing was stored."))
    #expect(try workstation.accounts() == [])
  }
}
