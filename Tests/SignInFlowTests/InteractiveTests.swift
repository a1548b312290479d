import Foundation
import TokenVaultSignIn
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Sign-ins through the browser: the account that results, or the error.
@Suite(.timeLimit(.minutes(10))) struct InteractiveTests {
  private static let contoso = "c0000000-0000-4000-8000-00000000c001"
  private static let fabrikam = "f0000000-0000-4000-8000-00000000f001"

  @Test(
    .parity(
      "MSALAccount.username", "MSALPublicClientApplicationConfig.authority",
      "ClientApplication.oidc_authority"),
    arguments: [
      ("common/v2.0", "ada@contoso.example"), ("common/v2.0", "alan@personal.example"),
      ("organizations/v2.0", "ada@contoso.example"), ("consumers/v2.0", "alan@personal.example"),
      ("contoso.example/v2.0", "ada@contoso.example"), ("\(contoso)/v2.0", "ada@contoso.example"),
      ("contoso.example/v2.0", "linus@fabrikam.example"),
      ("\(contoso)/v2.0", "linus@fabrikam.example"), ("oidc/one", "ada@contoso.example"),
    ])
  func aSignedInAccountIsStoredServedAndRefreshed(path: String, username: String) throws {
    let bench = try SignInBench()
    let application = try bench.application(path)
    let result = try bench.signIn(as: username, application)
    #expect(result.account.username == username)
    for asked in [nil, application] {
      let served = try bench.silent(of: username) { $0.application = asked }
      #expect(served.accessToken.reveal() == result.accessToken.reveal())
    }
    #expect(try bench.provider.counter("refreshes") == 0)
    try bench.advance(by: 4000)
    let refreshed = try bench.silent(of: username) { $0.application = application }
    #expect(refreshed.accessToken.reveal() != result.accessToken.reveal())
    // The refreshed token is served with the application's configuration and without.
    for asked in [nil, application] {
      let served = try bench.silent(of: username) { $0.application = asked }
      #expect(served.accessToken.reveal() == refreshed.accessToken.reveal())
    }
    #expect(try bench.provider.counter("refreshes") == 1)
    #expect(try bench.accounts().count == 1)
  }

  @Test(
    .parity(
      "MSALAccount.tenantProfiles", "MSALAccount.homeAccountId", "MSALTenantProfile.tenantId",
      "MSALTenantProfile.isHomeTenantProfile"))
  func aGuestHasAProfileInEachTenant() throws {
    let bench = try SignInBench()
    let guest = try bench.signIn(
      as: "linus@fabrikam.example", try bench.application("contoso.example/v2.0"))
    #expect(guest.account.homeAccountID.tenantID == Self.fabrikam)
    #expect(guest.account.tenantProfiles.map(\.tenantID) == [Self.contoso])
    let homeTenant = try bench.application("\(Self.fabrikam)/v2.0")
    let home = try bench.silent(of: "linus@fabrikam.example") { $0.application = homeTenant }
    #expect(home.accessToken.reveal() != guest.accessToken.reveal())
    let account = try #require(try bench.accounts().first)
    #expect(Set(account.tenantProfiles.map(\.tenantID)) == [Self.contoso, Self.fabrikam])
    #expect(account.tenantProfiles.first?.isHomeTenantProfile == true)
  }

  @Test func aRefusalByAnotherTenantKeepsTheRefreshToken() throws {
    let bench = try SignInBench()
    try bench.signIn(as: "ada@contoso.example")
    let stranger = try bench.application("\(Self.fabrikam)/v2.0")
    let error = try failure {
      try bench.silent(of: "ada@contoso.example") { $0.application = stranger }
    }
    #expect(error?.refusal?.numbers == [50020])
    try bench.advance(by: 4000)
    #expect(try !bench.silent(of: "ada@contoso.example").isFromCache)
  }

  @Test func rfc9700_section4_4_aRefreshTokenIsSentOnlyToTheServerThatIssuedIt() throws {
    let bench = try SignInBench()
    let other = try ProviderProcess()
    try bench.signIn(as: "ada@contoso.example")
    try bench.advance(by: 4000)
    for path in ["common/v2.0", "contoso.example/v2.0", "oidc/one"] {
      let elsewhere = ApplicationConfiguration(
        clientID: ProviderProcess.client, authority: try Authority("\(other.url)/\(path)"))
      let error = try failure {
        try bench.silent(of: "ada@contoso.example") { $0.application = elsewhere }
      }
      #expect(
        error?.signIn == .issuedElsewhere(issuer: bench.provider.url, requested: other.url))
    }
    // Another kind of provider at the same server.
    let another = try bench.application("oidc/one")
    let error = try failure {
      try bench.silent(of: "ada@contoso.example") { $0.application = another }
    }
    #expect(
      error?.signIn
        == .issuedElsewhere(
          issuer: "\(bench.provider.url)/common/v2.0",
          requested: "\(bench.provider.url)/oidc/one"))
    #expect(try other.counter("refreshRequests") == 0)
    #expect(try other.log().allSatisfy { $0["endpoint"] as? String == "discovery" })
  }

  @Test(.parity("MSALB2CAuthority.initWithURL:error:"))
  func twoPoliciesOfB2CAreTwoAccountsOfOnePerson() throws {
    let bench = try SignInBench()
    let user = "rosalind@customers.example"
    let scope = "https://fabrikamb2c.example/api/demo.read"
    let paths = ["tfp/fabrikamb2c.example/B2C_1_susi", "tfp/fabrikamb2c.example/B2C_1_edit"]
    for path in paths {
      try bench.signIn(as: user, scopes: scope, try bench.application(path))
    }
    let accounts = try bench.accounts()
    #expect(accounts.count == 2)
    #expect(Set(accounts.map(\.personIdentifier)).count == 1)
    #expect(Set(accounts.compactMap(\.policy)) == ["b2c_1_susi", "b2c_1_edit"])
    try bench.advance(by: 4000)
    for account in accounts {
      let token = try bench.silent(scope, of: account.selector)
      #expect(!token.isFromCache)
      #expect(token.account.identity == account.identity)
    }
  }

  @Test(
    .parity(
      "MSALErrorUserCanceled -50005", "MSALErrorServerInvalidRequestResetPasswordRequired -50142"))
  func b2cPasswordResetAndCancellationAreDistinctErrors() throws {
    let bench = try SignInBench()
    for (action, expected) in [
      ("forgot", SignInError.passwordResetRequested), ("cancel", .policyCancelled),
    ] {
      bench.browser.script.withLock {
        $0 = { browser, url in
          let page = try browser.open(url)
          let back = try browser.answer(page, ["action": action])
          _ = try RawHTTP.send("GET", back.headers["location"] ?? "")
        }
      }
      let error = try failure {
        try bench.signIn(
          as: "rosalind@customers.example", scopes: "https://fabrikamb2c.example/api/demo.read",
          try bench.application("tfp/fabrikamb2c.example/B2C_1_susi"))
      }
      #expect(error?.signIn == expected)
    }
    #expect(try bench.accounts().isEmpty)
  }

  @Test(.parity("MSALErrorUserCanceled -50005"))
  func aCancelledSignInIsReportedAsCancelled() throws {
    let bench = try SignInBench()
    bench.browser.script.withLock {
      $0 = { browser, url in
        let back = try browser.answer(try browser.open(url), ["action": "cancel"])
        _ = try RawHTTP.send("GET", back.headers["location"] ?? "")
      }
    }
    #expect(try failure { try bench.signIn(as: "") }?.signIn == .userCancelled)
    #expect(try bench.accounts().isEmpty)
  }

  @Test(.parity("MSALInteractiveTokenParameters.loginHint"))
  func theResultNamesTheSignedInUserWhateverTheLoginHint() throws {
    let bench = try SignInBench()
    let result = try bench.signIn(as: "grace@contoso.example") {
      $0.loginHint = "ada@contoso.example"
    }
    #expect(result.account.username == "grace@contoso.example")
  }

  @Test(.parity("MSALTokenParameters.account", "MSALInternalErrorMismatchedUser -42101"))
  func aSignInAsAnotherUserThanRequestedIsNotStored() throws {
    let bench = try SignInBench()
    let ada = try bench.signIn(as: "ada@contoso.example").account
    bench.browser.hand.cookies = [:]
    let error = try failure {
      try bench.signIn(as: "grace@contoso.example") {
        $0.account = ada.homeAccountID
        $0.prompt = .selectAccount
      }
    }
    #expect(error?.signIn == .mismatchedUser)
    #expect(try bench.accounts().map(\.username) == ["ada@contoso.example"])
    // The page starts with the requested user.
    let url = try #require(bench.browser.opened.withLock { $0.last })
    #expect(url.contains("login_hint=ada%40contoso.example"))
  }

  @Test func aSignInAfterASignOutRequestsThePasswordAgain() throws {
    let bench = try SignInBench()
    let user = "ada@contoso.example"
    try bench.signIn(as: user)
    try bench.signIn(as: user) { $0.loginHint = user }
    #expect(try bench.provider.counter("signIns") == 1)
    var options = SignOutOptions()
    options.clientID = ProviderProcess.client
    _ = try bench.signOut([user], options)
    // Nothing of the account is left, but the client remembers that it has signed out.
    #expect(try bench.accounts().isEmpty)
    try bench.signIn(as: user) { $0.loginHint = user }
    #expect(bench.browser.opened.withLock { $0.last }?.contains("prompt=login") == true)
    #expect(try bench.provider.counter("signIns") == 2)
    #expect(try bench.silent(of: user).isFromCache)
    // Once is enough.
    try bench.signIn(as: user) { $0.loginHint = user }
    #expect(try bench.provider.counter("signIns") == 2)
    // A prompt that the caller requests is kept.
    _ = try bench.signOut([user], options)
    try bench.signIn(as: user) {
      $0.loginHint = user
      $0.prompt = .consent
    }
    #expect(bench.browser.opened.withLock { $0.last }?.contains("prompt=consent") == true)
  }

  @Test(
    .parity(
      "MSALInternalErrorSessionCanceled -42401",
      "PublicClientApplication.acquire_token_interactive timeout",
      "msal.BrowserInteractionTimeoutError"))
  func aDeadlineOrACancellationEndsTheWait() throws {
    let bench = try SignInBench()
    bench.browser.script.withLock { $0 = { _, _ in } }
    let error = try failure { try bench.signIn(as: "") { $0.deadlineMilliseconds = 300 } }
    #expect(error?.signIn == .timedOut)
    let cancellation = Cancellation()
    bench.browser.script.withLock { $0 = { _, _ in cancellation.cancel() } }
    let cancelled = try failure {
      try bench.acquisition(cancellation).interactive(
        InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
    }
    #expect(cancelled?.signIn == .cancelled)
    #expect(try bench.accounts().isEmpty)
  }

  @Test func theStandardRedirectURIIsTheOneThatTheProviderExpects() throws {
    for authority in [
      "https://login.microsoftonline.com/common", "https://fabrikam.ciamlogin.com",
      "https://fabrikam.b2clogin.com/fabrikam.onmicrosoft.com/b2c_1_susi",
    ] {
      let configuration = ApplicationConfiguration(
        clientID: "app", authority: try Authority(authority))
      #expect(configuration.redirectURI.description == "http://localhost")
    }
    let plain = ApplicationConfiguration(
      clientID: "app", authority: try Authority("https://id.example"))
    #expect(plain.redirectURI.description == "http://127.0.0.1/")
  }

  @Test(
    .parity(
      "MSALInteractiveTokenParameters.webviewParameters", "MSALWebviewParameters.customWebview",
      "PublicClientApplication.acquire_token_interactive on_before_launching_ui",
      "public.WithOpenURL"))
  func thePageIsReportedIfNoBrowserOpens() throws {
    let bench = try SignInBench()
    struct NoBrowser: BrowserOpening {
      func open(_ address: HTTPURL) -> Bool { false }
    }
    let platform = SignInPlatform(
      transport: bench.platform.transport, receiver: bench.platform.receiver,
      browser: NoBrowser())
    let browser = bench.browser
    let result = try Acquisition(bench.vault.groupSession(), platform: platform) { event in
      if case .waitingForBrowser(let page, isOpened: false) = event { _ = browser.open(page) }
    }.interactive(InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
    #expect(result.account.username == "ada@contoso.example")
  }

  @Test func foreignRequestsToTheListenerDoNotDisturbTheSignIn() throws {
    let bench = try SignInBench()
    bench.browser.script.withLock {
      $0 = { browser, url in
        let location = try browser.signIn(at: url, as: "ada@contoso.example")
        let base = String(location.prefix { $0 != "?" })
        for (method, target, headers) in [
          ("GET", base + "/favicon.ico", [:]), ("POST", location, [:]), ("GET", base, [:]),
          ("GET", location, ["Sec-Fetch-Mode": "no-cors"]),
        ] as [(String, String, [String: String])] {
          guard try RawHTTP.send(method, target, headers: headers).status >= 400 else { return }
        }
        _ = try RawHTTP.send("GET", location)
      }
    }
    #expect(try bench.signIn(as: "").account.username == "ada@contoso.example")
  }

  @Test(.parity("MSALInternalErrorInvalidState -42501"))
  func rfc6749_section10_12_aForgedStateDoesNotEndTheSignIn() throws {
    let bench = try SignInBench()
    let replies = Mutex<[Int]>([])
    bench.browser.script.withLock {
      $0 = { browser, url in
        let location = try browser.signIn(at: url, as: "ada@contoso.example")
        let base = String(location.prefix { $0 != "?" })
        for forged in [
          location.replacing(#/state=[^&]*/#, with: "state=other"),
          base + "?error=access_denied&state=other", base + "?code=a&code=b",
        ] {
          let status = try RawHTTP.send("GET", forged).status
          replies.withLock { $0.append(status) }
        }
        // As an iframe of a foreign page.
        let framed = try RawHTTP.send("GET", location, headers: ["Sec-Fetch-Dest": "iframe"]).status
        replies.withLock { $0.append(framed) }
        _ = try RawHTTP.send("GET", location)
      }
    }
    let refused = Mutex<[String]>([])
    let acquisition = Acquisition(bench.vault.groupSession(), platform: bench.platform) {
      if case .requestRefused(let reason) = $0 { refused.withLock { $0.append(reason) } }
    }
    let result = try acquisition.interactive(
      InteractiveRequest(scopes: ScopeSet(["User.Read"])), bench.application())
    #expect(result.account.username == "ada@contoso.example")
    #expect(replies.withLock { $0 } == [400, 400, 400, 403])
    #expect(
      refused.withLock { $0 }
        == [StrayRequest.state, .state, .noState, .embedded].map(\.rawValue))
    // Nothing but a forged response: the wait lasts to its end, and nothing is redeemed.
    for (query, expected) in [("code=a&state=b", SignInError.stateMismatch), ("x", .timedOut)] {
      bench.browser.script.withLock {
        $0 = { _, url in
          let items = URLComponents(string: url)?.queryItems
          let redirect = try #require(items?.first { $0.name == "redirect_uri" }?.value)
          _ = try RawHTTP.send("GET", "\(redirect)?\(query)")
        }
      }
      let error = try failure { try bench.signIn(as: "") { $0.deadlineMilliseconds = 5_000 } }
      #expect(error?.signIn == expected)
    }
    #expect(try bench.provider.counter("codeRedemptions") == 1)
  }

  @Test func anotherUsersResponseIsRefusedAndTheSignInGoesOn() throws {
    guard OtherUser.canAct else { return }
    let bench = try SignInBench()
    let reply = Mutex("")
    bench.browser.script.withLock {
      $0 = { browser, url in
        // The attacker signs in himself, and sends the answer to the port of the victim.
        let stolen = try HandBrowser(bench.provider.url).signIn(
          at: url, as: "grace@contoso.example")
        let parts = try #require(HTTPURL(stolen))
        let text = try OtherUser.send(
          "GET /?\(parts.query ?? "") HTTP/1.1\r\n"
            + "Host: localhost:\(parts.port ?? 0)\r\n\r\n", parts.port ?? 0)
        reply.withLock { $0 = text }
        _ = try RawHTTP.send("GET", try browser.signIn(at: url, as: "ada@contoso.example"))
      }
    }
    var application = try bench.application()
    application.redirectURI = try RedirectURI("http://localhost")
    #expect(try bench.signIn(as: "", application).account.username == "ada@contoso.example")
    #expect(reply.withLock { $0 }.hasPrefix("HTTP/1.1 403"))
    #expect(try bench.accounts().map(\.username) == ["ada@contoso.example"])
  }

  @Test(arguments: ["http://127.0.0.1/", "http://localhost", "http://[::1]/callback"])
  func theBrowsersArgumentsContainNothingOfTheRequest(uri: String) throws {
    let bench = try SignInBench()
    var application = try bench.application()
    application.redirectURI = try RedirectURI(uri)
    try bench.signIn(as: "ada@contoso.example", application)
    let argument = try #require(bench.browser.arguments.withLock { $0.first })
    let provider = try #require(bench.browser.opened.withLock { $0.first })
    #expect(argument.wholeMatch(of: #/http://(127\.0\.0\.1|\[::1\]):\d+/start/[\w-]{43}/#) != nil)
    let items = try #require(URLComponents(string: provider)?.queryItems)
    for name in ["state", "nonce", "code_challenge"] {
      let value = try #require(items.first { $0.name == name }?.value)
      #expect(!argument.contains(value))
    }
    // The address leads nowhere afterwards.
    #expect(throws: RawHTTP.Failure.self) { try RawHTTP.send("GET", argument) }
  }
}
