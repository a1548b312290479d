import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultTestSupport

/// Several people use one browser on a shared device. The browser keeps its cookies.
@Suite(.timeLimit(.minutes(5))) struct SharedDeviceBrowserTests {
  private let ada = "ada@contoso.example"
  private let grace = "grace@contoso.example"

  private func bench(_ mode: GroupManifest.DeviceMode = .shared) throws -> SignInBench {
    try SignInBench(
      manifest: GroupManifest(
        name: .universalStorage, title: "Shared", members: [], custody: .secretService,
        deviceMode: mode))
  }

  private func prompt(_ bench: SignInBench) -> String? {
    bench.browser.opened.withLock { $0.last }.flatMap { page in
      URLComponents(string: page)?.queryItems?.first { $0.name == "prompt" }?.value
    }
  }

  @Test func theNextPersonOfASharedDeviceHasToSignIn() throws {
    let bench = try bench()
    try bench.signIn(as: ada)
    #expect(prompt(bench) == "login")
    // The present person is not asked again.
    try bench.signIn(as: ada)
    #expect(prompt(bench) == nil)
    var options = SignOutOptions()
    options.endsBrowserSession = false
    #expect(try bench.signOut([ada], options).browserSessions.isEmpty)
    // The browser still has the session, and no prompt of an application can use it.
    let next = try bench.signIn(as: grace) { $0.prompt = .selectAccount }
    #expect(next.account.username == grace)
    #expect(prompt(bench) == "login")
    #expect(try bench.signOut([grace], options).isClean)
    try bench.signIn(as: ada) { $0.prompt = .consent }
    #expect(prompt(bench) == "login")
  }

  @Test func aRequestToCreateAnAccountDoesNotUseTheBrowsersSession() throws {
    let bench = try bench()
    var options = SignOutOptions()
    options.endsBrowserSession = false
    try bench.signIn(as: ada)
    _ = try bench.signOut([ada], options)
    #expect(try bench.signIn(as: grace) { $0.prompt = .create }.account.username == grace)
    #expect(prompt(bench) == "login")
  }

  /// The code may be entered in the browser of this device, which has the session.
  @Test func aDeviceCodeDoesNotSignInTheNextPersonOfASharedDevice() throws {
    let bench = try bench()
    func deviceSignIn() throws -> VaultError? {
      try failure {
        try bench.acquisition().deviceCode(
          ScopeSet(["User.Read"]), limitMilliseconds: 100, bench.application())
      }
    }
    func isRefused(_ error: VaultError?) -> Bool {
      if case .sharedDeviceRequiresBrowser? = error { true } else { false }
    }
    #expect(isRefused(try deviceSignIn()))
    try bench.signIn(as: ada)
    // The present person may sign in again; here the time is too short.
    #expect(try deviceSignIn()?.signIn == .timedOut)
    _ = try bench.signOut([ada])
    #expect(isRefused(try deviceSignIn()))
    #expect(try bench.provider.counter("deviceCodes") <= 1)
  }

  @Test(.parity("MSALSignoutParameters.signoutFromBrowser"))
  func aSignOutOfASharedDeviceEndsTheBrowsersSession() throws {
    let bench = try bench()
    try bench.signIn(as: ada)
    let authorization = try #require(bench.browser.opened.withLock { $0.first })
    let silently = authorization.replacing("&prompt=login", with: "")
    #expect(try bench.browser.hand.open(silently).headers["location"] != nil)
    let report = try bench.signOut([ada])
    guard case .opened(let page)? = report.browserSessions.first else {
      Issue.record("\(report.browserSessions)")
      return
    }
    #expect(page.query?.contains("logout_hint=ada%40contoso.example") == true)
    try bench.wait(for: "logouts", 1)
    #expect(try bench.browser.hand.open(silently).headers["location"] == nil)
  }

  @Test func aSignOutOfAPrivateDeviceKeepsTheBrowsersSession() throws {
    let bench = try bench(.private)
    try bench.signIn(as: ada)
    #expect(prompt(bench) == nil)
    #expect(try bench.signOut([ada]).browserSessions.isEmpty)
    #expect(try bench.provider.counter("logouts") == 0)
  }
}
