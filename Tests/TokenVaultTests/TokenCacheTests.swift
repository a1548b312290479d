import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite(.timeLimit(.minutes(5))) struct TokenCacheTests {
  private let vault: TestVault
  private let session: GroupSession
  private let ada = Person.ada

  init() throws {
    vault = try TestVault()
    session = vault.groupSession()
  }

  private func store(_ tokens: MSALCache.Token...) throws {
    try session.importCache(MSALCache(profiles: [ada.profile()], tokens: tokens))
  }

  private func ask(_ request: TokenRequest) throws -> String {
    String(decoding: try session.token(request, account: nil).accessToken.reveal(), as: UTF8.self)
  }

  private func refusal(_ request: TokenRequest) -> VaultError? {
    #expect(throws: VaultError.self) { try session.token(request, account: ada.username) }
  }

  private func scopes(_ text: String) -> TokenRequest {
    TokenRequest(scopes: ScopeSet(target: text))
  }

  @Test(.parity("MSALTokenParameters.scopes"))
  func aTokenServesAnyPartOfItsScopesWithoutRegardToCase() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at", "User.Read Mail.Read"))
    #expect(try ask(scopes("mail.read")) == "fake-at")
    #expect(try ask(scopes("Mail.Read User.Read")) == "fake-at")
    #expect(try ask(scopes("")) == "fake-at")
    #expect(refusal(scopes("Mail.Read Mail.Send"))?.interaction == .noToken)
  }

  @Test func theHomeTenantsTokenIsServedUnlessAnotherTenantIsRequested() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-home"),
      ada.access("fake-guest", realm: Person.fabrikam),
      ada.access("fake-elsewhere", "Files.Read", realm: Person.fabrikam))
    #expect(try ask(scopes("User.Read")) == "fake-home")
    var guest = scopes("User.Read")
    guest.tenantID = Person.fabrikam.uppercased()
    #expect(try ask(guest) == "fake-guest")
    #expect(refusal(scopes("Files.Read"))?.interaction == .otherTenant([Person.fabrikam]))
  }

  @Test func aTokenStoredUnderAnAliasOfTheCloudIsServed() throws {
    var alias = ada
    alias.environment = "sts.windows.net"
    try store(ada.refresh("fake-rt"), alias.access("fake-at"))
    #expect(try session.accounts(.all).accounts.count == 1)
    #expect(try ask(scopes("User.Read")) == "fake-at")
  }

  /// In the last 300 seconds, or in as many as the request gives.
  @Test(.parity("MSALPublicClientApplicationConfig.tokenExpirationBuffer"))
  func aTokenIsNotServedShortlyBeforeItsExpiry() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at"))
    vault.clock.withLock { $0 = TestVault.start + 3299 }
    #expect(try ask(scopes("User.Read")) == "fake-at")
    vault.clock.withLock { $0 = TestVault.start + 3300 }
    #expect(
      refusal(scopes("User.Read"))?.interaction
        == .expired(Timestamp(epochSeconds: TestVault.start + 3600)))
    var short = scopes("User.Read")
    short.minimumValidity = 0
    #expect(try ask(short) == "fake-at")
    vault.clock.withLock { $0 = TestVault.start }
    short.minimumValidity = .max
    #expect(refusal(short)?.name == "interactionRequired")
  }

  /// Its time shows that the clock was set back since.
  @Test func aTokenStoredInTheFutureIsNotServed() throws {
    try store(
      ada.refresh("fake-rt"),
      ada.access("fake-at") { $0.cachedAt = Timestamp(epochSeconds: TestVault.start + 1) })
    guard case .expired = refusal(scopes("User.Read"))?.interaction else {
      Issue.record("served, or refused for something else")
      return
    }
  }

  @Test func aResourceSelectsItsTokenAndBareScopesMeanMicrosoftGraph() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-graph", "openid profile User.Read"),
      ada.access("fake-arm", "https://management.azure.com/.default"))
    func ask(resource: String) throws -> String {
      try self.ask(TokenRequest(scopes: ScopeSet([]), resource: resource))
    }
    #expect(try ask(resource: "https://graph.microsoft.com/") == "fake-graph")
    #expect(try ask(resource: "https://MANAGEMENT.azure.com") == "fake-arm")
    #expect(throws: VaultError.self) { try ask(resource: "https://management.azure.co") }
    #expect(throws: VaultError.self) { try ask(resource: "https://vault.azure.net") }
  }

  @Test func bareScopesOfAnotherProviderAreNotMicrosoftGraph() throws {
    for (environment, type) in [
      ("shop.b2clogin.com", "MSSTS"), ("id.example", "OIDC"), ("adfs.example", "ADFS"),
    ] {
      var person = ada
      (person.environment, person.authorityType) = (environment, type)
      try session.importCache(person.cache())
      let request = TokenRequest(scopes: ScopeSet([]), resource: "https://graph.microsoft.com")
      let error = #expect(throws: VaultError.self) {
        try session.token(request, account: "\(person.id)//\(environment)")
      }
      #expect(error?.interaction == .noToken)
    }
  }

  @Test func aTokenReplacesThoseWithIntersectingScopes() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-1", "User.Read Mail.Read"),
      ada.access("fake-other", "Files.Read"))
    try store(
      ada.access("fake-2", "user.read Tasks.Read") { $0.cachedAt = $0.cachedAt?.advanced(by: 1) })
    #expect(try ask(scopes("User.Read")) == "fake-2")
    #expect(refusal(scopes("Mail.Read"))?.interaction == .noToken)
    #expect(try ask(scopes("Files.Read")) == "fake-other")
    // A token of another client, tenant or type is not replaced.
    try store(
      ada.access("fake-3", client: Clients.editor), ada.access("fake-4", realm: Person.fabrikam),
      ada.access("fake-5") { $0.tokenType = "pop" })
    #expect(try session.tokenText(client: Clients.cli) == "fake-2")
    #expect(try session.tokenText(client: Clients.editor) == "fake-3")
  }

  @Test func tokensBoundToAKeyAnAssertionOrClaimsAreNeverServed() throws {
    try store(
      ada.refresh("fake-rt"),
      ada.access("fake-pop") { $0.tokenType = "pop" },
      ada.access("fake-key") { $0.keyID = "key" },
      ada.access("fake-obo") { $0.userAssertionHash = "hash" },
      ada.access("fake-claims") { $0.requestedClaims = "{}" })
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(refusal(scopes(""))?.interaction == .noToken)
  }

  @Test func aForeignEntityIsNotServedAsASecretOrAccessToken() throws {
    let json = """
      {"RefreshToken":{"k":{"credential_type":"Secret","secret":"fake-foreign-secret",
        "home_account_id":"\(ada.id)","environment":"\(ada.environment)"}},
       "Account":{"a":{"home_account_id":"\(ada.id)","environment":"\(ada.environment)",
        "realm":"\(ada.realm)","username":"\(ada.username)","authority_type":"MSSTS"}},
       "Elsewhere":{"l":{"credential_type":"AccessToken","secret":"fake-foreign-at",
        "home_account_id":"\(ada.id)","environment":"\(ada.environment)","realm":"\(ada.realm)",
        "target":"User.Read","client_id":"x","cached_at":"1","expires_on":"9999999999"}}}
      """
    let cache = try MSALCache(json: Array(json.utf8))
    try session.importCache(cache)
    // Another session reads the file instead of memory.
    let account = try vault.groupSession().accounts(.all).accounts[0]
    #expect(!account.isSignedIn && account.accessTokenExpiresOn == nil)
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(refusal(scopes(""))?.interaction == .noToken)
    #expect(try vault.groupSession().exportCache(.all).json() == cache.json())
  }

  @Test func aRequestWithoutScopesListsTheScopesOfSeveralTokens() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-1", "User.Read"), ada.access("fake-2", "Files.Read"))
    guard case .scopesRequired(let stored, _) = refusal(scopes("")) else {
      Issue.record("no error, or another")
      return
    }
    #expect(stored == ["Files.Read", "User.Read"])
  }

  @Test func aSignedOutClientGetsNoTokenAndOthersDoNotGetItsTokens() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-cli"),
      ada.refresh("fake-rt-2", client: Clients.editor),
      ada.access("fake-editor", "Files.Read", client: Clients.editor))
    try session.signOut([ada.username], client: Clients.cli)
    var request = scopes("User.Read")
    request.clientID = Clients.cli
    #expect(refusal(request)?.interaction == .signedOut)
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(try session.tokenText("Files.Read", client: Clients.editor) == "fake-editor")
  }

  @Test func tokensWithoutAnAccountAreSelectedByTenant() throws {
    var app = ada
    app.id = ""
    try session.importCache(
      MSALCache(tokens: [
        app.access("fake-contoso", ".default"),
        app.access("fake-fabrikam", ".default", realm: Person.fabrikam),
      ]))
    var request = scopes(".default")
    let error = #expect(throws: VaultError.self) {
      try session.token(request, account: Clients.cli)
    }
    #expect(error?.interaction == .otherTenant([Person.contoso, Person.fabrikam]))
    request.tenantID = Person.contoso
    let result = try session.token(request, account: Clients.cli)
    #expect(result.accessToken.reveal() == Array("fake-contoso".utf8))
  }

  /// A claims request and a forced refresh are such requests.
  @Test func aRequestForANewTokenIsNotServedFromTheStore() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at"))
    var request = scopes("User.Read")
    request.needsNewToken = true
    #expect(refusal(request)?.interaction == .newTokenRequested)
  }

  @Test(.parity("MSALResult.expiresOn", "MSALResult.scopes", "MSALResult.authority"))
  func aResultStatesItsAccountExpiryScopesAndAuthority() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at", "User.Read openid"))
    let result = try session.token(scopes("User.Read"), account: nil)
    #expect(result.tokenType == "Bearer" && result.isFromCache)
    #expect(result.expiresOn == Timestamp(epochSeconds: TestVault.start + 3600))
    #expect(result.scopes.scopes == ["User.Read", "openid"])
    #expect(result.authority == "https://login.microsoftonline.com/\(Person.contoso)")
    #expect(result.account.username == ada.username)
    #expect(!"\(result)".contains("fake-at"))
  }
}
