import Foundation
import TokenVaultSignIn
import TokenVaultSignInTransport
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// A whole sign-in for each kind of redirect URI (RFC 8252 section 7).
@Suite(.timeLimit(.minutes(10))) struct RedirectFormTests {
  @Test(arguments: [
    "http://127.0.0.1/", "http://127.0.0.1/callback", "http://[::1]/", "http://[::1]/callback",
    "http://localhost/", "http://localhost/callback",
  ])
  func rfc8252_section7_3_eachSignInListensOnAFreeLoopbackPort(uri: String) throws {
    let bench = try SignInBench()
    var application = try bench.application()
    application.redirectURI = try RedirectURI(uri)
    for _ in 0..<2 { try bench.signIn(as: "ada@contoso.example", application) }
    let sent = bench.browser.opened.withLock { $0 }.compactMap { url in
      URLComponents(string: url)?.queryItems?.first { $0.name == "redirect_uri" }?.value
    }
    let known = try #require(URLComponents(string: uri))
    for redirect in sent {
      let parts = try #require(URLComponents(string: redirect))
      #expect(parts.host == known.host)
      #expect(parts.path == known.path)
      #expect(parts.port != nil)
    }
    #expect(sent.count == 2)
  }

  @Test func rfc8252_section7_1_aPrivateURISchemeDeliversTheResponse() throws {
    let bench = try SignInBench()
    let runtime = bench.vault.home.appending(path: "run")
    try FileManager.default.createDirectory(
      at: runtime, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    var application = try bench.application()
    application.redirectURI = try RedirectURI("msauth.com.example.tokenvault://auth")
    bench.browser.script.withLock {
      $0 = { browser, url in
        let location = try browser.signIn(at: url, as: "ada@contoso.example")
        try SchemeHandover.deliver(url: location, directory: runtime.path)
      }
    }
    let platform = SignInPlatform(
      transport: bench.platform.transport,
      receiver: SystemRedirectReceiver(runtimeDirectory: runtime.path), browser: bench.browser)
    let result = try Acquisition(bench.vault.groupSession(), platform: platform)
      .interactive(InteractiveRequest(scopes: ScopeSet(["User.Read"])), application)
    #expect(result.account.username == "ada@contoso.example")
    let argument = try #require(bench.browser.arguments.withLock { $0.first })
    #expect(argument.wholeMatch(of: #/http://127\.0\.0\.1:\d+/start/[\w-]{43}/#) != nil)
  }
}
