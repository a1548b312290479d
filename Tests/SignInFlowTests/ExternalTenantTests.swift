import Foundation
import Testing
import TokenVault
import TokenVaultModel
import TokenVaultSignIn
import TokenVaultSignInTransport
import TokenVaultTestSupport

/// Entra External ID: a tenant of customers at its subdomain of ciamlogin.com and at a domain of its
/// own, both with the same issuer.
@Suite(.timeLimit(.minutes(10))) struct ExternalTenantTests {
  private static let tenant = "c1a30000-0000-4000-8000-00000000c1a3"
  private static let emmy = "emmy@customers.example"
  private static let scopes = ScopeSet(["User.Read"])

  /// `https://HOST/…` reaches the provider on this machine as `/at/HOST/…`.
  private struct Transport: BlockingTransport {
    let provider: String
    let hosts = ["fabrikam.ciamlogin.com", "login.fabrikam.example"]

    func local(_ url: String) -> String {
      hosts.reduce(url) { $0.replacing("https://\($1)/", with: "\(provider)/at/\($1)/") }
    }

    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse {
      guard let address = HTTPURL(local(request.address.description)) else {
        throw .unknownHost(request.address.host)
      }
      return try CurlTransport().send(
        HTTPRequest(
          method: request.method, address, headers: request.headers, body: request.body,
          deadlineMilliseconds: request.deadlineMilliseconds), cancellation)
    }
  }

  private let bench: SignInBench
  private let platform: SignInPlatform

  init() throws {
    let bench = try SignInBench()
    let transport = Transport(provider: bench.provider.url)
    bench.browser.script.withLock {
      $0 = { hand, url in
        if url.contains("/logout") { return _ = try hand.open(transport.local(url)) }
        // The form of the account page leads to the provider's own address.
        let location = try hand.signIn(at: transport.local(url), as: Self.emmy)
        try hand.deliver(location)
      }
    }
    self.bench = bench
    platform = SignInPlatform(
      transport: transport, receiver: bench.platform.receiver, browser: bench.browser)
  }

  private func application(
    _ authority: String, known: [String] = []
  ) throws -> PublicClientApplication {
    var configuration = ApplicationConfiguration(
      clientID: ProviderProcess.client, authority: try Authority(authority))
    configuration.knownAuthorities = try known.map { try Authority($0) }
    return PublicClientApplication(
      configuration, vault: bench.vault.configuration(), platform: platform)
  }

  @Test(
    .parity(
      "MSALCIAMAuthority.initWithURL:error:", "MSALCIAMAuthority.initWithURL:validateFormat:error:"),
    arguments: [
      "https://fabrikam.ciamlogin.com", "https://fabrikam.ciamlogin.com/fabrikam.onmicrosoft.com",
      "https://fabrikam.ciamlogin.com/c1a30000-0000-4000-8000-00000000c1a3",
      "https://login.fabrikam.example/c1a30000-0000-4000-8000-00000000c1a3/v2.0",
      "https://login.fabrikam.example/fabrikam.onmicrosoft.com/v2.0",
    ])
  func aCustomerSignsInSilentlyGetsTokensAndSignsOut(authority: String) async throws {
    let app = try application(authority)
    var interactive = InteractiveRequest(scopes: Self.scopes)
    interactive.deadlineMilliseconds = 86_400_000
    let result = try await app.acquireToken(interactive: interactive)
    #expect(result.account.username == Self.emmy)
    #expect(result.account.homeAccountID.tenantID == Self.tenant)
    #expect(result.account.environment == HTTPURL(authority)?.host)
    #expect(result.tenantProfile?.tenantID == Self.tenant)
    var silent = SilentRequest(scopes: Self.scopes, account: result.account)
    let served = try await app.acquireTokenSilent(silent)
    #expect(served.isFromCache)
    #expect(served.accessToken.reveal() == result.accessToken.reveal())
    silent.forceRefresh = true
    let refreshed = try await app.acquireTokenSilent(silent)
    #expect(!refreshed.isFromCache)
    #expect(refreshed.accessToken.reveal() != result.accessToken.reveal())
    // Another process finds the token, and refreshes it when it expires.
    try bench.advance(by: 4000)
    silent.forceRefresh = false
    #expect(try await !application(authority).acquireTokenSilent(silent).isFromCache)
    #expect(try await application(result.authority).acquireTokenSilent(silent).isFromCache)
    var parameters = SignOutParameters()
    parameters.signOutFromBrowser = true
    let report = try await app.signOut(result.account, parameters)
    #expect(report.isClean)
    #expect(report.revocations.map(\.outcome) == [.notOffered])
    guard case .opened(let page)? = report.browserSessions.first else {
      Issue.record("\(report.browserSessions)")
      return
    }
    #expect(page.host == result.account.environment)
    #expect(throws: VaultError.self) { try bench.silent(of: Self.emmy) }
  }

  @Test(.parity("MSALPublicClientApplicationConfig.knownAuthorities"))
  func onlyKnownAuthoritiesAdmitACustomDomain() async throws {
    let subdomain = "https://fabrikam.ciamlogin.com"
    let domain = "https://login.fabrikam.example/\(Self.tenant)/v2.0"
    var request = InteractiveRequest(scopes: Self.scopes)
    request.deadlineMilliseconds = 86_400_000
    request.authority = try Authority(domain)
    for known in [[], ["https://login.other.example/\(Self.tenant)/v2.0"]] {
      do {
        _ = try await application(subdomain, known: known).acquireToken(interactive: request)
        Issue.record("the domain was contacted")
      } catch let error as VaultError { #expect(error.signIn == .invalidAuthority) }
    }
    #expect(try bench.provider.log().isEmpty)
    let app = try application(subdomain, known: [domain])
    let result = try await app.acquireToken(interactive: request)
    #expect(result.account.environment == "login.fabrikam.example")
    var silent = SilentRequest(scopes: Self.scopes, account: result.account)
    silent.authority = request.authority
    #expect(try await app.acquireTokenSilent(silent).isFromCache)
  }

  @Test(arguments: ["entra", "external", "b2c"])
  func theSettingsFilesOfTheSampleHaveValidAuthorities(name: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Examples/GraphSample/\(name).json")
    let settings = try #require(
      JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    var authorities = settings["knownAuthorities"] as? [String] ?? []
    authorities += ["authority", "passwordReset"].compactMap { settings[$0] as? String }
    for authority in authorities { #expect(try Authority(authority).isMicrosoft) }
    #expect(
      try RedirectURI(settings["redirectURI"] as? String ?? "").description == "http://localhost")
  }

  @Test(arguments: [
    // Another tenant, a foreign host, a port, http, and a domain that stands for all tenants.
    ("c1a30000-0000-4000-8000-00000000c1a3", "https://GUID.ciamlogin.com/GUID/v2.0"),
    (tenant, "https://c1a30000-0000-4000-8000-00000000c1a3.evil.example/TENANT/v2.0"),
    (tenant, "https://TENANT.ciamlogin.com:8443/TENANT/v2.0"),
    (tenant, "http://TENANT.ciamlogin.com/TENANT/v2.0"),
    (tenant, "https://TENANT.ciamlogin.com/GUID/v2.0"),
    ("common", "https://TENANT.ciamlogin.com/TENANT/v2.0"),
  ])
  func aCustomDomainWithAnotherIssuerIsRefused(path: String, issuer: String) throws {
    let base = "https://login.fabrikam.example/"
    let issuer = issuer.replacing("TENANT", with: Self.tenant)
      .replacing("GUID", with: "d0000000-0000-4000-8000-00000000d001")
    let document = JSONValue.object([
      .init("issuer", .string(issuer)), .init("token_endpoint", .string(base + "token")),
    ])
    #expect(throws: SignInError.badDiscovery(.issuer)) {
      try ProviderMetadata(json: document.bytes, of: try Authority(base + path + "/v2.0"))
    }
  }

  @Test func aCustomDomainNamesTheTenantThatIsWrittenAsADomain() throws {
    let base = "https://login.fabrikam.example/"
    for guid in [Self.tenant, "d0000000-0000-4000-8000-00000000d001"] {
      let issuer = "https://\(guid).ciamlogin.com/\(guid)/v2.0"
      let document = JSONValue.object([
        .init("issuer", .string(issuer)), .init("token_endpoint", .string(base + "token")),
      ])
      func metadata(_ tenant: String) throws -> ProviderMetadata {
        try ProviderMetadata(
          json: document.bytes, of: try Authority(base + tenant + "/v2.0"))
      }
      #expect(try metadata("fabrikam.onmicrosoft.com").issuer == issuer)
      #expect(try metadata(guid).issuer == issuer)
      #expect(throws: SignInError.badDiscovery(.issuer)) {
        try metadata("e0000000-0000-4000-8000-00000000e001")
      }
    }
  }
}
