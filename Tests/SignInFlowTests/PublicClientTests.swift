import Foundation
import TokenVaultSignIn
import Synchronization
import Testing
import TokenVault
import TokenVaultTestSupport
import TokenVaultModel

/// The calls that the tutorials show. No deadline spans an await, since the thread pool is shared
/// with tests that block it.
@Suite(.timeLimit(.minutes(10))) struct PublicClientTests {
  private static let user = "ada@contoso.example"
  private static let scopes = ScopeSet(["User.Read"])
  private static let oneDay = 86_400_000

  private func application(
    _ bench: SignInBench, _ path: String = "common/v2.0", client: String = ProviderProcess.client,
    _ change: (inout ApplicationConfiguration) -> Void = { _ in }
  ) throws -> PublicClientApplication {
    var configuration = try bench.application(path, client: client)
    configuration.requestTimeoutMilliseconds = Self.oneDay
    change(&configuration)
    return PublicClientApplication(
      configuration, vault: bench.vault.configuration(), platform: bench.platform)
  }

  private var request: InteractiveRequest {
    var request = InteractiveRequest(scopes: Self.scopes)
    request.deadlineMilliseconds = Self.oneDay
    return request
  }

  private func failure<R>(_ body: () async throws -> R) async throws -> VaultError? {
    do {
      _ = try await body()
      return nil
    } catch let error as VaultError { return error }
  }

  @Test(
    .parity(
      "MSALPublicClientApplication.initWithConfiguration:error:",
      "acquireTokenWithParameters:completionBlock:",
      "acquireTokenSilentWithParameters:completionBlock:", "MSALTokenParameters.authority",
      "MSALSilentTokenParameters.initWithScopes:account:",
      "MSALInteractiveTokenParameters.initWithScopes:webviewParameters:",
      "MSALAuthenticationSchemeBearer", "MSALAuthSchemeBearer", "MSALResult.accessToken",
      "MSALResult.idToken", "MSALResult.tenantProfile", "MSALResult.account",
      "MSALResult.authority", "MSALResult.authorizationHeader"))
  func theCallsOfTheTutorialWorkAsDescribed() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    #expect(try await app.accounts().accounts.isEmpty)
    let result = try await app.acquireToken(interactive: request)
    #expect(result.tokenType == "Bearer")
    #expect(result.authorizationHeader.reveal() == "Bearer " + result.accessToken.revealText())
    #expect(result.idToken != nil)
    #expect(result.account.username == Self.user)
    #expect(result.tenantProfile?.isHomeTenantProfile == true)
    #expect(!result.correlationID.isEmpty)
    #expect(!result.isFromCache)
    let account = try #require(try await app.accounts().accounts.first)
    let silent = try await app.acquireTokenSilent(
      SilentRequest(scopes: Self.scopes, account: account))
    #expect(silent.isFromCache)
    #expect(silent.accessToken.reveal() == result.accessToken.reveal())
    #expect(silent.idToken?.reveal() == result.idToken?.reveal())
    #expect(silent.tenantProfile == result.tenantProfile)
    #expect(try await app.currentAccount().account?.identity == account.identity)
    try bench.advance(by: 4000)
    let refreshed = try await app.acquireTokenSilent(
      SilentRequest(scopes: Self.scopes, account: account))
    #expect(!refreshed.isFromCache)
    // A later request can use the authority of a result.
    var again = SilentRequest(scopes: Self.scopes, account: account)
    again.authority = try Authority(result.authority)
    #expect(try await app.acquireTokenSilent(again).isFromCache)
  }

  @Test func aTenantNamedByItsDomainIsServedFromTheCache() async throws {
    let bench = try SignInBench()
    let app = try application(bench, "contoso.example/v2.0")
    bench.browser.username.withLock { $0 = "linus@fabrikam.example" }
    let result = try await app.acquireToken(interactive: request)
    let silent = SilentRequest(scopes: Self.scopes, account: result.account)
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
    // A process that has to resolve the tenant first serves the same token.
    let other = try application(bench, "contoso.example/v2.0")
    #expect(try await other.acquireTokenSilent(silent).isFromCache)
    #expect(try bench.provider.counter("refreshRequests") == 0)
  }

  @Test(.parity("acquireTokenSilentWithParameters:completionBlock:"))
  func manyTasksMakeOneRefresh() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try await app.acquireToken(interactive: request).account
    try bench.advance(by: 4000)
    let silent = SilentRequest(scopes: Self.scopes, account: account)
    let tokens = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<32 {
        group.addTask { try await app.acquireTokenSilent(silent).accessToken.revealText() }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(tokens.count == 1)
    #expect(try bench.provider.counter("refreshes") == 1)
  }

  @Test(
    .parity(
      "+cancelCurrentWebAuthSession", "MSALInternalErrorInteractiveSessionAlreadyRunning -42402"))
  func theVaultServesDuringASignInAndASecondSignInIsRefused() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let account = try await app.acquireToken(interactive: request).account
    bench.browser.script.withLock { $0 = { _, _ in } }
    var events = app.events.makeAsyncIterator()
    let waiting = Task { [request] in try await app.acquireToken(interactive: request) }
    while let event = await events.next() {
      if case .waitingForBrowser(_, isOpened: true) = event { break }
    }
    let silent = SilentRequest(scopes: Self.scopes, account: account)
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
    let second = try await failure { try await app.acquireToken(interactive: request) }
    #expect(second?.signIn == .sessionAlreadyRunning)
    #expect(app.cancel())
    #expect(try await failure { try await waiting.value }?.signIn == .cancelled)
    #expect(!app.cancel())
    // The next sign-in can begin.
    bench.browser.script.withLock { $0 = nil }
    #expect(try await app.acquireToken(interactive: request).account.identity == account.identity)
  }

  @Test(
    .parity(
      "MSALWebAuthDidStartLoadNotification", "MSALWebAuthDidFinishLoadNotification",
      "MSALWebAuthDidCompleteNotification"))
  func theEventsReportTheStepsOfASignIn() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let events = app.events
    let signIn = Task { [request] in try await app.acquireToken(interactive: request) }
    var seen: [String] = []
    for await event in events {
      switch event {
      case .contacting(let host): seen.append("contacting \(host)")
      case .waitingForBrowser(_, let isOpened): seen.append("browser \(isOpened)")
      case .requestRefused(let reason): seen.append(reason)
      case .redirectReceived: seen.append("redirect")
      case .finished: seen.append("finished")
      case .waitingForDevice, .waitingForOtherProcess, .retryingToStore: seen.append("\(event)")
      }
      if case .finished = event { break }
    }
    #expect(seen == ["contacting 127.0.0.1", "browser true", "redirect", "finished"])
    _ = try await signIn.value
  }

  @Test(.parity("+cancelCurrentWebAuthSession"))
  func aCancelledTaskEndsItsSignIn() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    bench.browser.script.withLock { $0 = { _, _ in } }
    var events = app.events.makeAsyncIterator()
    let task = Task { [request] in try await app.acquireToken(interactive: request) }
    while let event = await events.next() {
      if case .waitingForBrowser = event { break }
    }
    task.cancel()
    #expect(try await failure { try await task.value }?.signIn == .cancelled)
    #expect(try await app.accounts().accounts.isEmpty)
  }

  @Test(
    .parity(
      "MSALTokenParameters.authority", "MSALPublicClientApplicationConfig.knownAuthorities",
      "MSALInternalErrorFailedAuthorityValidation -42010", "ClientApplication.instance_discovery",
      "ClientApplication.validate_authority", "public.WithInstanceDiscovery"))
  func anUnknownAuthorityIsNotContacted() async throws {
    let bench = try SignInBench()
    let other = try ProviderProcess()
    let foreign = try Authority("\(other.url)/common/v2.0")
    let app = try application(bench)
    let account = try await app.acquireToken(interactive: request).account
    var interactive = request
    interactive.authority = foreign
    var silent = SilentRequest(scopes: Self.scopes, account: account)
    silent.authority = foreign
    let errors = [
      try await failure { try await app.acquireToken(interactive: interactive) },
      try await failure { try await app.acquireTokenSilent(silent) },
    ]
    #expect(errors.map(\.?.signIn) == [.invalidAuthority, .invalidAuthority])
    // A known authority can sign users in, but never receives the refresh token of another server.
    let trusting = try application(bench) { $0.knownAuthorities = [foreign] }
    try bench.advance(by: 4000)
    let refused = try await failure { try await trusting.acquireTokenSilent(silent) }
    #expect(
      refused?.signIn
        == .issuedElsewhere(issuer: bench.provider.url, requested: foreign.address.server))
    #expect(try other.counter("refreshRequests") == 0)
    #expect(try other.log().isEmpty)
  }

  @Test(
    .parity(
      "removeAccount:error:", "signoutWithAccount:signoutParameters:completionBlock:",
      "MSALSignoutParameters.signoutFromBrowser", "MSALSignoutParameters.wipeAccount"))
  func removeAffectsThisApplicationAndWipeAffectsAll() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let other = try application(bench, client: ProviderProcess.familyClients[0])
    let account = try await app.acquireToken(interactive: request).account
    _ = try await other.acquireToken(interactive: request)
    let silent = SilentRequest(scopes: Self.scopes, account: account)
    #expect(try await app.remove(account).isClean)
    let error = try await failure { try await app.acquireTokenSilent(silent) }
    #expect(error?.reason == .signedOut)
    #expect(try await other.acquireTokenSilent(silent).isFromCache)
    #expect(try bench.provider.counter("revocationRequests") == 0)
    _ = try await app.acquireToken(interactive: request)
    var parameters = SignOutParameters()
    let mine = try await app.signOut(account, parameters)
    #expect(mine.revocations.map(\.outcome) == [.revoked])
    #expect(mine.browserSessions.isEmpty)
    #expect(try await other.acquireTokenSilent(silent).isFromCache)
    parameters.wipeAccount = true
    parameters.signOutFromBrowser = true
    let all = try await app.signOut(account, parameters)
    #expect(all.isClean)
    #expect(!all.browserSessions.isEmpty)
    #expect(try await app.accounts().accounts.isEmpty)
  }

  @Test(.parity("MSALSignoutParameters.wipeCacheForAllAccounts"))
  func wipingTheCacheRemovesEveryAccount() async throws {
    let bench = try SignInBench()
    let app = try application(bench)
    let ada = try await app.acquireToken(interactive: request).account
    bench.browser.hand.cookies = [:]
    bench.browser.username.withLock { $0 = "grace@contoso.example" }
    _ = try await app.acquireToken(interactive: request)
    #expect(try await app.accounts().accounts.count == 2)
    var parameters = SignOutParameters()
    parameters.wipeCacheForAllAccounts = true
    let report = try await app.signOut(ada, parameters)
    #expect(report.isClean)
    #expect(report.revocations.count == 2)
    #expect(try await app.accounts().accounts.isEmpty)
  }

  @Test(
    .parity(
      "PublicClientApplication.initiate_device_flow",
      "PublicClientApplication.acquire_token_by_device_flow",
      "public.Client.AcquireTokenByDeviceCode"))
  func theEventsReportADeviceCode() async throws {
    let bench = try SignInBench(#"{"deviceInterval": 1}"#)
    let app = try application(bench)
    let events = app.events
    let signIn = Task {
      try await app.acquireToken(deviceCode: DeviceCodeRequest(scopes: Self.scopes))
    }
    for await event in events {
      if case .waitingForDevice(let code) = event {
        try bench.provider.answerDevice(code.userCode, as: Self.user)
        break
      }
    }
    #expect(try await signIn.value.account.username == Self.user)
  }

  @Test(
    .parity(
      "MSALResult.extendedLifeTimeToken",
      "MSALPublicClientApplicationConfig.extendedLifetimeEnabled"))
  func theExtendedLifetimeIsAnOptionOfTheConfiguration() async throws {
    let bench = try SignInBench()
    let app = try application(bench) { $0.extendedLifetimeEnabled = true }
    let account = try await app.acquireToken(interactive: request).account
    try bench.advance(by: 4000)
    try bench.provider.fault(#"{"status": 503}"#)
    let silent = SilentRequest(scopes: Self.scopes, account: account)
    #expect(try await app.acquireTokenSilent(silent).isExtendedLifetime)
    let strict = try application(bench)
    #expect(try await failure { try await strict.acquireTokenSilent(silent) } != nil)
  }
}
