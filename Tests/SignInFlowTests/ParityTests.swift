import Foundation
import TokenVaultSignIn
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// Statements of docs/msal-parity.md about the public API that no other test covers.
@Suite(.timeLimit(.minutes(10))) struct ParityTests {
  private static let ada = "ada@contoso.example"
  private static let linus = "linus@fabrikam.example"

  private func application(
    _ bench: SignInBench, _ path: String = "common/v2.0"
  ) throws -> PublicClientApplication {
    PublicClientApplication(
      try bench.application(path), vault: bench.vault.configuration(), platform: bench.platform)
  }

  @Test(
    .parity(
      "MSALPublicClientApplication.configuration", "+sdkVersion",
      "MSALPublicClientApplicationConfig.clientId",
      "MSALPublicClientApplicationConfig.tokenExpirationBuffer",
      "MSALPublicClientApplicationConfig.initWithClientId:redirectUri:authority:"))
  func aLaterChangeOfTheConfigurationDoesNotAffectTheApplication() throws {
    let bench = try SignInBench()
    var configuration = try bench.application()
    let app = PublicClientApplication(
      configuration, vault: bench.vault.configuration(), platform: bench.platform)
    configuration.clientID = "another"
    configuration.tokenExpirationBuffer = 1
    #expect(app.configuration.clientID == ProviderProcess.client)
    // The defaults of MSAL.
    #expect(app.configuration.tokenExpirationBuffer == nil)
    #expect(!app.configuration.extendedLifetimeEnabled)
    #expect(app.configuration.redirectURI.description == "http://localhost")
    #expect(PublicClientApplication.version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
  }

  @Test(
    .parity(
      "MSALAccount.accountClaims", "MSALTenantProfile.identifier", "MSALTenantProfile.tenantId",
      "MSALTenantProfile.claims"))
  func anAccountHasTheClaimsOfItsHomeTenantAndEachProfileItsOwn() throws {
    let bench = try SignInBench()
    let home = try bench.signIn(as: Self.linus).account
    let claims = try #require(home.claims)
    #expect(claims.preferredUsername == Self.linus)
    #expect(claims.tenantID == home.homeAccountID.tenantID)
    let guest = try bench.signIn(
      as: Self.linus, bench.application("contoso.example/v2.0")
    ).account
    #expect(guest.identity == home.identity)
    #expect(guest.claims == claims)
    let other = try #require(guest.tenantProfiles.first { !$0.isHomeTenantProfile })
    #expect(other.claims?.tenantID == other.tenantID)
    #expect(other.claims?.objectID == other.identifier)
    #expect(other.identifier != home.homeAccountID.objectID)
  }

  @Test(.parity("MSALAccount.accountClaims"))
  func anAccountOfAThirdPartyProviderHasTheClaimsOfItsOnlyTenant() throws {
    let bench = try SignInBench()
    let account = try bench.signIn(as: Self.ada, scopes: "", bench.application("oidc/one")).account
    #expect(account.claims?.subject == account.identifier)
  }

  @Test func anAPIIsCalledWithATokenOfTheAccount() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try bench.signIn(as: Self.ada).account
    var me = try APIRequest("get", bench.provider.url + "/v1.0/me")
    me.scopes = ScopeSet(["User.Read"])
    let answer = try await app.call(me, for: account)
    #expect(answer.status == 200)
    #expect(String(decoding: answer.body, as: UTF8.self).contains(Self.ada))
    // A redirect is returned as the response; no token follows it.
    var redirect = try APIRequest(
      "GET", bench.provider.url + "/api/redirect?to=\(bench.provider.url)/api/hello")
    redirect.scopes = me.scopes
    #expect(try await app.call(redirect, for: account).status == 302)
    #expect(try bench.provider.log().contains { ($0["path"] as? String) == "/api/hello" } == false)
    #expect(throws: SignInError.transport(.notConfidential(host: "example.com"))) {
      try APIRequest("GET", "http://example.com/")
    }
    #expect(throws: SignInError.invalidRequest(.header)) {
      try me.add(header: "Authorization: Bearer other")
    }
    // A claims challenge is answered once, with a new token.
    try bench.provider.change(#"{"claimsChallenge": true}"#)
    #expect(try await app.call(me, for: account).status == 200)
    #expect(try bench.provider.counter("claimsChallenges") == 1)
    #expect(try bench.provider.counter("refreshes") == 1)
  }

  @Test(.parity("MSALTokenParameters.correlationId", "MSALResult.correlationId"))
  func aCorrelationIDIsSentToTheProviderAndReturned() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let name = "6f2a9c1e-0000-4000-8000-00000000abcd"
    let account = try bench.signIn(as: Self.ada) { $0.correlationID = name }.account
    var silent = SilentRequest(scopes: ScopeSet(["User.Read"]), account: account)
    silent.forceRefresh = true
    silent.correlationID = "6f2a9c1e-0000-4000-8000-00000000dcba"
    #expect(try await app.acquireTokenSilent(silent).correlationID == silent.correlationID)
    let named = try bench.provider.log().compactMap { entry in
      (entry["endpoint"] as? String) == "token" ? entry["correlation_id"] as? String : nil
    }
    #expect(named == [name, silent.correlationID])
  }

  @Test func theInteractionReasonContainsTheRequestedClaims() throws {
    let wanted = #"{"access_token":{"acrs":{"essential":true,"value":"c1"}}}"#
    let refused = InteractionReason.refused(
      OAuthError(code: "interaction_required", claims: wanted))
    #expect(refused.claims == (try ClaimsRequest(json: wanted)))
    #expect(InteractionReason.refused(OAuthError(code: "invalid_grant")).claims == nil)
    #expect(
      InteractionReason.refused(OAuthError(code: "invalid_grant", claims: "x")).claims == nil)
    #expect(InteractionReason.signedOut.claims == nil)
  }

  @Test(
    .parity(
      "MSALPublicClientApplication.initWithConfiguration:error:", "allAccounts:",
      "accountForIdentifier:error:", "accountsForParameters:error:", "accountForUsername:error:",
      "MSALAccount.identifier", "MSALAccountEnumerationParameters.identifier",
      "MSALAccountEnumerationParameters.initWithIdentifier:",
      "MSALAccountEnumerationParameters.username",
      "MSALAccountEnumerationParameters.initWithIdentifier:username:",
      "MSALAccountEnumerationParameters.tenantProfileIdentifier",
      "MSALAccountEnumerationParameters.initWithTenantProfileIdentifier:",
      "MSALAccountEnumerationParameters.returnOnlySignedInAccounts"))
  func accountsAreFoundByIdentifierNameAndTenantProfile() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let ada = try bench.signIn(as: Self.ada).account
    try bench.signIn(as: Self.ada, bench.application(client: ProviderProcess.familyClients[0]))
    bench.browser.hand.cookies = [:]
    let linus = try bench.signIn(as: Self.linus).account
    func found(_ query: AccountQuery) async throws -> [AccountIdentity] {
      try await app.accounts(query).accounts.map(\.identity)
    }
    #expect(try await found(.all).count == 2)
    #expect(try await found(AccountQuery(identifier: ada.identifier)) == [ada.identity])
    #expect(
      try await found(AccountQuery(identifier: ada.identifier, username: Self.linus)).isEmpty)
    let profile = try #require(linus.tenantProfiles.first)
    #expect(
      try await found(AccountQuery(tenantProfileIdentifier: profile.identifier))
        == [linus.identity])
    #expect(try await app.vault.account(identifier: ada.identifier).identity == ada.identity)
    #expect(
      try await app.vault.account(username: Self.linus.uppercased()).identity == linus.identity)
    try await app.remove(ada)
    #expect(
      try await found(AccountQuery(clientID: ProviderProcess.client, signedIn: true))
        == [linus.identity])
    // Another client keeps the account.
    #expect(try await found(AccountQuery(username: Self.ada)) == [ada.identity])
  }

  @Test(
    .parity(
      "+handleMSALResponse:sourceApplication:", "MSALPublicClientApplicationConfig.redirectUri",
      "MSALPublicClientApplicationConfig.initWithClientId:redirectUri:authority:"))
  func theListenerUsesTheLoopbackAddressOfTheRedirectURI() throws {
    let bench = try SignInBench()
    for uri in ["http://localhost", "http://[::1]/", "http://127.0.0.1/callback"] {
      var application = try bench.application()
      application.redirectURI = try RedirectURI(uri)
      try bench.signIn(as: Self.ada, application)
      let opened = bench.browser.opened.withLock { $0.last ?? "" }
      let sent = try #require(
        URLComponents(string: opened)?.queryItems?.first { $0.name == "redirect_uri" }?.value)
      #expect(sent.contains(try #require(URL(string: uri)?.host())))
    }
  }

  @Test(
    .parity("MSALSignoutParameters.webviewParameters", "MSALSignoutParameters.extraQueryParameters")
  )
  func signOutParametersReachTheProvidersPage() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try bench.signIn(as: Self.ada).account
    bench.browser.script.withLock { $0 = { _, _ in } }
    var parameters = SignOutParameters()
    parameters.signOutFromBrowser = true
    parameters.extraParameters = ["ui_locales": "de", "logout_hint": "somebody else"]
    parameters.revokes = false
    let report = try await app.signOut(account, parameters)
    let page = bench.browser.opened.withLock { $0.last ?? "" }
    guard case .opened(let address)? = report.browserSessions.first else {
      Issue.record("\(report.browserSessions)")
      return
    }
    #expect(page == address.description)
    #expect(page.contains("/logout?") && page.contains("ui_locales=de"))
    // An extra parameter cannot replace a protocol parameter.
    #expect(page.contains(FormParameters.encode(Self.ada)) && !page.contains("somebody"))
    #expect(report.revocations.isEmpty)
    #expect(try bench.provider.counter("revocationRequests") == 0)
  }

  @Test(.parity("accountForUsername:error:", "MSALInternalErrorAmbiguousAccount -42102"))
  func aUsernameOfSeveralAccountsIsAnErrorThatListsThem() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let user = "rosalind@customers.example"
    for policy in ["B2C_1_susi", "B2C_1_edit"] {
      try bench.signIn(
        as: user, scopes: "https://fabrikamb2c.example/api/demo.read",
        bench.application("tfp/fabrikamb2c.example/\(policy)"))
    }
    let error = await #expect(throws: VaultError.self) {
      try await app.vault.account(username: user)
    }
    guard case .ambiguousAccount(user, let candidates)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(Set(candidates.compactMap(\.policy)) == ["b2c_1_susi", "b2c_1_edit"])
  }

  @Test(
    .parity(
      "MSALAccount.homeAccountId", "MSALAccountId.identifier", "MSALAccountId.objectId",
      "MSALAccountId.tenantId"))
  func anAccountIdentifierNamesTheObjectAndItsHomeTenant() throws {
    let account = try SignInBench().signIn(as: Self.ada).account
    let home = account.homeAccountID
    #expect(home.identifier == "\(home.objectID).\(home.tenantID)")
    #expect(account.identifier == home.identifier)
    #expect(account.claims?.objectID == home.objectID)
    #expect(account.claims?.tenantID == home.tenantID)
  }

  @Test(.parity("MSALTokenParameters.account", "MSALSilentTokenParameters.initWithScopes:account:"))
  func aSilentRequestServesItsOwnAccount() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    var signedIn: [TokenResult] = []
    for user in [Self.ada, Self.linus] {
      bench.browser.hand.cookies = [:]
      signedIn.append(try bench.signIn(as: user))
    }
    for result in signedIn {
      let served = try await app.acquireTokenSilent(
        SilentRequest(scopes: ScopeSet(["User.Read"]), account: result.account))
      #expect(served.account.identity == result.account.identity)
      #expect(served.accessToken.reveal() == result.accessToken.reveal())
    }
  }

  @Test(
    .parity(
      "MSALDisplayableUserIdKey", "MSALHomeAccountIdKey", "MSALErrorInteractionRequired -50002",
      "MSALInternalErrorInvalidGrant -42004"))
  func anErrorThatRequiresTheUserNamesTheAccount() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let linus = try bench.signIn(as: Self.linus).account
    bench.browser.hand.cookies = [:]
    try bench.signIn(as: Self.ada)
    try bench.provider.fault(#"{"error": "invalid_grant", "suberror": "basic_action"}"#)
    var silent = SilentRequest(scopes: ScopeSet(["User.Read"]), account: linus)
    silent.forceRefresh = true
    let asked = silent
    let error = await #expect(throws: VaultError.self) { try await app.acquireTokenSilent(asked) }
    guard case .interactionRequired(.refused(let refusal), let account, let group)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.code == "invalid_grant")
    #expect(account.username == Self.linus)
    #expect(account.homeAccountID == linus.homeAccountID)
    #expect(group == linus.group)
  }

  @Test(.parity("MSALInternalErrorAccountRequired -42106"))
  func aSilentRequestForAnErasedAccountIsRefused() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try bench.signIn(as: Self.ada).account
    var parameters = SignOutParameters()
    parameters.wipeAccount = true
    #expect(try await app.signOut(account, parameters).isClean)
    let error = await #expect(throws: VaultError.self) {
      try await app.acquireTokenSilent(
        SilentRequest(scopes: ScopeSet(["User.Read"]), account: account))
    }
    guard case .noAccount(let selector, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(selector == account.selector)
    #expect(try bench.provider.counter("refreshRequests") == 0)
  }

  @Test(.parity("MSALWebAuthDidFailNotification"))
  func aFailedSignInThrowsItsErrorAfterTheLastEvent() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    bench.browser.script.withLock {
      $0 = { browser, url in
        let back = try browser.answer(try browser.open(url), ["action": "cancel"])
        _ = try RawHTTP.send("GET", back.headers["location"] ?? "")
      }
    }
    let events = app.events
    let signIn = Task {
      try await app.acquireToken(interactive: InteractiveRequest(scopes: ScopeSet(["User.Read"])))
    }
    var isFinished = false
    for await event in events {
      if case .finished = event {
        isFinished = true
        break
      }
    }
    #expect(isFinished)
    let error = await #expect(throws: VaultError.self) { try await signIn.value }
    #expect(error?.signIn == .userCancelled)
  }
}
