import Foundation
import Testing
import TokenVaultTestSupport

/// Redirects to a private-use scheme, which the desktop opens.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct SchemeRedirectTests {
  @Test func rfc8252_section7_1_theDesktopReturnsTheRedirect() throws {
    let home = try SignInHome()
    // xdg-open uses scheme handlers on a desktop only.
    let command =
      "DISPLAY=:nowhere tokenvault sign-in --client-id $C --authority $A --scope User.Read "
      + "--timeout 60s --redirect-uri msauth.com.example.tokenvault://auth --browser \"env DISPLAY=:nowhere $ADA\""
    let first = try home.run(command)
    let browser = try home.run("cat browser.log").output
    #expect(first.status == 0, "\(first.errors) \(browser)")
    #expect(
      first.errors.contains("The desktop now opens msauth.com.example.tokenvault: URLs"))
    let entry = try home.run(
      "cat .local/share/applications/tokenvault-msauth.com.example.tokenvault.desktop"
    ).output
    #expect(entry.contains("\nMimeType=x-scheme-handler/msauth.com.example.tokenvault;\n"))
    #expect(entry.contains("/tokenvault redirect %u\n"))
    // The handler is registered once and reported once.
    let second = try home.run(command)
    #expect(second.status == 0)
    #expect(!second.errors.contains("The desktop now"))
  }

  @Test func aURLWithoutAWaitingSignInIsRefused() throws {
    let home = try SignInHome()
    let run = try home.run("tokenvault redirect 'org.example.nobody://auth?code=x'")
    #expect(run.status == 66)
    #expect(run.errors.contains("No sign-in is waiting for this URL."))
    #expect(try home.run("tokenvault redirect https://example.com/").status == 64)
    #expect(!(try home.run("tokenvault --help").output.contains("redirect ")))
  }
}
