import TokenVaultSignIn
import Testing
import TokenVaultTestSupport

@testable import TokenVaultSignInTransport

/// The choice of the browser for a sign-in.
@Suite(.timeLimit(.minutes(10))) struct UserBrowserTests {
  @Test(.parity("MSALWebviewParameters.prefersEphemeralWebBrowserSession"))
  func theBrowserIsTheGivenOneElseTheUsersElseTheDesktops() {
    let desktop = ["WAYLAND_DISPLAY": "wayland-0"]
    #expect(UserBrowser(nil, [:]).commands.isEmpty)
    #expect(UserBrowser(nil, desktop).commands == ["xdg-open"])
    let chosen = desktop.merging(["BROWSER": "firefox:w3m %s"]) { $1 }
    #expect(UserBrowser(nil, chosen).commands == ["firefox", "w3m %s"])
    #expect(
      UserBrowser("firefox --private-window", chosen).commands == ["firefox --private-window"])
    #expect(UserBrowser("", chosen).commands == [""])
  }

  @Test(.parity("MSALWebviewTypeDefault"))
  func theFirstBrowserThatStartsIsUsed() throws {
    let page = try #require(HTTPURL("https://id.example/"))
    let path = ["PATH": "/usr/bin:/bin"]
    #expect(!UserBrowser(nil, path).open(page))
    #expect(!UserBrowser("", path.merging(["BROWSER": "true"]) { $1 }).open(page))
    #expect(!UserBrowser(nil, path.merging(["BROWSER": "false:no-such-browser"]) { $1 }).open(page))
    #expect(UserBrowser(nil, path.merging(["BROWSER": "no-such-browser:true"]) { $1 }).open(page))
  }
}
