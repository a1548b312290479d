import Testing
import TokenVaultTestSupport
import TokenVaultModel

@testable import TokenVault

@Suite("Reading stored tokens")
struct TokenReadingTests {
  private let vault: TestVault
  private let core: GroupSession
  private let ada = Person.ada

  init() throws {
    vault = try TestVault()
    core = vault.core()
  }

  private func store(_ tokens: MSALCache.Token...) throws {
    try core.importCache(MSALCache(profiles: [ada.profile()], tokens: tokens))
  }

  private func ask(_ request: TokenRequest) throws -> String {
    String(decoding: try core.token(request, account: nil).accessToken.reveal(), as: UTF8.self)
  }

  private func refusal(_ request: TokenRequest) -> VaultError? {
    #expect(throws: VaultError.self) { try core.token(request, account: ada.username) }
  }

  private func scopes(_ text: String) -> TokenRequest {
    TokenRequest(scopes: ScopeSet(target: text))
  }

  @Test("a token serves any part of its scopes, without regard to case, and no more")
  func scopeSubset() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at", "User.Read Mail.Read"))
    #expect(try ask(scopes("mail.read")) == "fake-at")
    #expect(try ask(scopes("Mail.Read User.Read")) == "fake-at")
    #expect(try ask(scopes("")) == "fake-at")
    #expect(refusal(scopes("Mail.Read Mail.Send"))?.interaction == .noToken)
  }

  @Test("the home tenant's token is served unless another tenant is asked for")
  func tenants() throws {
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

  @Test("a token that was stored under an alias of the cloud is served")
  func environmentAlias() throws {
    var alias = ada
    alias.environment = "sts.windows.net"
    try store(ada.refresh("fake-rt"), alias.access("fake-at"))
    #expect(try core.accounts(.all).accounts.count == 1)
    #expect(try ask(scopes("User.Read")) == "fake-at")
  }

  @Test("a token is not served in its last 300 seconds, or in as many as are asked for")
  func skew() throws {
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

  @Test("a token that was stored in the future tells of a clock set back, and is not served")
  func futureToken() throws {
    try store(
      ada.refresh("fake-rt"),
      ada.access("fake-at") { $0.cachedAt = Timestamp(epochSeconds: TestVault.start + 1) })
    guard case .expired = refusal(scopes("User.Read"))?.interaction else {
      Issue.record("served, or refused for something else")
      return
    }
  }

  @Test("a resource finds the token for it, and Microsoft Graph's by its bare scopes")
  func resources() throws {
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

  @Test("a bare scope of another provider is no scope of Microsoft Graph")
  func bareScopesElsewhere() throws {
    for (environment, type) in [
      ("shop.b2clogin.com", "MSSTS"), ("id.example", "OIDC"), ("adfs.example", "ADFS"),
    ] {
      var person = ada
      (person.environment, person.authorityType) = (environment, type)
      try core.importCache(person.cache())
      let request = TokenRequest(scopes: ScopeSet([]), resource: "https://graph.microsoft.com")
      let error = #expect(throws: VaultError.self) {
        try core.token(request, account: "\(person.id)//\(environment)")
      }
      #expect(error?.interaction == .noToken)
    }
  }

  @Test("a token takes the place of those whose scopes meet its own, and of no others")
  func replacing() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-1", "User.Read Mail.Read"),
      ada.access("fake-other", "Files.Read"))
    try store(
      ada.access("fake-2", "user.read Tasks.Read") { $0.cachedAt = $0.cachedAt?.advanced(by: 1) })
    #expect(try ask(scopes("User.Read")) == "fake-2")
    #expect(refusal(scopes("Mail.Read"))?.interaction == .noToken)
    #expect(try ask(scopes("Files.Read")) == "fake-other")
    // Another client's, tenant's or type's token is another token.
    try store(
      ada.access("fake-3", client: Clients.editor), ada.access("fake-4", realm: Person.fabrikam),
      ada.access("fake-5") { $0.tokenType = "pop" })
    #expect(try core.tokenText(client: Clients.cli) == "fake-2")
    #expect(try core.tokenText(client: Clients.editor) == "fake-3")
  }

  @Test("what is bound to a key, an assertion or a claims request is never served")
  func bound() throws {
    try store(
      ada.refresh("fake-rt"),
      ada.access("fake-pop") { $0.tokenType = "pop" },
      ada.access("fake-key") { $0.keyID = "key" },
      ada.access("fake-obo") { $0.userAssertionHash = "hash" },
      ada.access("fake-claims") { $0.requestedClaims = "{}" })
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(refusal(scopes(""))?.interaction == .noToken)
  }

  @Test("a foreign entity that calls itself a secret or an access token is not served as one")
  func foreignTypes() throws {
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
    try core.importCache(cache)
    // Read back by another vault, not out of memory.
    let account = try vault.core().accounts(.all).accounts[0]
    #expect(!account.isSignedIn && account.accessTokenExpiresOn == nil)
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(refusal(scopes(""))?.interaction == .noToken)
    #expect(try vault.core().exportCache(.all).json() == cache.json())
  }

  @Test("without scopes, several tokens are an error that lists them")
  func scopesRequired() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-1", "User.Read"), ada.access("fake-2", "Files.Read"))
    guard case .scopesRequired(let stored, _) = refusal(scopes("")) else {
      Issue.record("no error, or another")
      return
    }
    #expect(stored == ["Files.Read", "User.Read"])
  }

  @Test("a client that was signed out gets nothing, and its token is not given to others")
  func signedOutClient() throws {
    try store(
      ada.refresh("fake-rt"), ada.access("fake-cli"),
      ada.refresh("fake-rt-2", client: Clients.editor),
      ada.access("fake-editor", "Files.Read", client: Clients.editor))
    try core.signOut([ada.username], client: Clients.cli)
    var request = scopes("User.Read")
    request.clientID = Clients.cli
    #expect(refusal(request)?.interaction == .signedOut)
    #expect(refusal(scopes("User.Read"))?.interaction == .noToken)
    #expect(try core.tokenText("Files.Read", client: Clients.editor) == "fake-editor")
  }

  @Test("tokens of no account in several tenants are told apart by the tenant that is asked for")
  func severalTenantsWithoutAHome() throws {
    var app = ada
    app.id = ""
    try core.importCache(
      MSALCache(tokens: [
        app.access("fake-contoso", ".default"),
        app.access("fake-fabrikam", ".default", realm: Person.fabrikam),
      ]))
    var request = scopes(".default")
    let error = #expect(throws: VaultError.self) { try core.token(request, account: Clients.cli) }
    #expect(error?.interaction == .otherTenant([Person.contoso, Person.fabrikam]))
    request.tenantID = Person.contoso
    let result = try core.token(request, account: Clients.cli)
    #expect(result.accessToken.reveal() == Array("fake-contoso".utf8))
  }

  @Test("a claims request or a forced refresh is not answered from the store")
  func newToken() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at"))
    var request = scopes("User.Read")
    request.needsNewToken = true
    #expect(refusal(request)?.interaction == .newTokenRequested)
  }

  @Test("the answer says whose token it is, until when, for what and from where")
  func answer() throws {
    try store(ada.refresh("fake-rt"), ada.access("fake-at", "User.Read openid"))
    let result = try core.token(scopes("User.Read"), account: nil)
    #expect(result.tokenType == "Bearer" && result.isFromCache)
    #expect(result.expiresOn == Timestamp(epochSeconds: TestVault.start + 3600))
    #expect(result.scopes.scopes == ["User.Read", "openid"])
    #expect(result.authority == "https://login.microsoftonline.com/\(Person.contoso)")
    #expect(result.account.username == ada.username)
    #expect(!"\(result)".contains("fake-at"))
  }
}
