import Foundation
import Testing
import TokenVaultTestSupport

/// `tokenvault sign-out` and the requests it sends to the provider.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ProviderSignOutTests {
  @Test func theProviderRevokesTheTokens() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let run = try home.run("tokenvault sign-out ada@contoso.example")
    #expect(run.status == 0)
    #expect(run.output.contains("\n  revoked  127.0.0.1: the provider revoked the tokens\n"))
    #expect(try home.provider.counter("revocations") == 1)
    #expect(try home.run("tokenvault list --json").output == "[]\n")
  }

  @Test func nothingIsRevokedWithNoRevoke() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let before = try home.provider.log().count
    let run = try home.run("tokenvault sign-out ada@contoso.example --no-revoke --json")
    #expect(run.status == 0)
    #expect(run.output.contains("\"revocations\":[],\"browserSessions\":[]"))
    #expect(try home.provider.log().count == before)
  }

  @Test func anUnreachableProviderDoesNotStopTheErasure() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    try home.provider.fault(#"{"endpoint": "revoke", "status": 500, "count": 4}"#)
    let run = try home.run("tokenvault sign-out ada@contoso.example")
    #expect(run.status == 0)
    #expect(run.output.contains("\n  NOT REVOKED  127.0.0.1: "))
    #expect(try home.run("tokenvault list --json").output == "[]\n")
    #expect(try home.signIn().status == 0)
    #expect(try home.signIn("GRACE").status == 0)
    let object = try home.json("tokenvault sign-out --all --yes --json")
    let revocations = try #require(object["revocations"] as? [[String: Any]])
    #expect(
      revocations.map { $0.keys.sorted() }
        == Array(repeating: ["clientId", "detail", "environment", "outcome"], count: 2))
    #expect(revocations.allSatisfy { $0["clientId"] as? String == ProviderProcess.client })
  }

  @Test func aProviderWithoutRevocationIsReported() throws {
    let home = try SignInHome(#"{"revocation": false}"#)
    #expect(try home.signIn().status == 0)
    let run = try home.run("tokenvault sign-out --all-groups --yes")
    #expect(run.status == 0)
    #expect(
      run.output.contains("  NOT REVOKED  127.0.0.1: the provider does not support revocation; "))
  }

  @Test func onASharedDeviceTheBrowserSessionIsEndedByDefault() throws {
    let home = try SignInHome()
    let group = "--group org.example.shared"
    #expect(
      try home.run("tokenvault group create org.example.shared --device-mode shared").status == 0)
    let out = "tokenvault sign-out ada@contoso.example \(group)"
    #expect(try home.signIn("ADA", group).status == 0)
    let opened = try home.run("BROWSER=\"$ADA\" \(out)")
    #expect(opened.output.contains("  browser  127.0.0.1: the sign-out page was opened"))
    #expect(try home.signIn("ADA", group).status == 0)
    // Without a browser, the session stays, and the command says so.
    let headless = try home.run("env -u DISPLAY -u WAYLAND_DISPLAY BROWSER=false \(out)")
    #expect(
      headless.output.contains(
        "  BROWSER STILL SIGNED IN  127.0.0.1: no browser was opened; to sign out there, open http"),
      "\(headless.output)")
    #expect(headless.status == 0)
    #expect(try home.signIn("ADA", group).status == 0)
    #expect(try home.run("cat browser.py.pages").output.contains("prompt=login"))
    let skipped = try home.run("\(out) --no-browser")
    #expect(!skipped.output.lowercased().contains("browser"))
    #expect(skipped.status == 0)
  }

  @Test func theBrowserSessionIsEndedToo() throws {
    let home = try SignInHome()
    #expect(try home.signIn().status == 0)
    let run = try home.run("BROWSER=\"$ADA\" tokenvault sign-out ada@contoso.example --browser")
    #expect(run.status == 0)
    #expect(
      run.output.contains("  browser  127.0.0.1: the sign-out page was opened; sign out there\n"))
    let opened = try home.run("tail -n 1 browser.opened").output
    #expect(opened.contains("/logout?"))
    #expect(opened.contains("logout_hint=ada%40contoso.example"))
    #expect(!opened.contains("id_token_hint"))
  }
}
