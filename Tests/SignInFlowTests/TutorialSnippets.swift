import TokenVault

/// The code of docs/tutorial.md that is not in Examples/GraphSample. The compiler checks it here,
/// and TutorialTests compares it with the document.
enum TutorialSnippets {
  static func platforms(_ environment: [String: String]) -> [SignInPlatform] {
    let own = SignInPlatform.system(environment: environment)
    let hidden = SignInPlatform.system(
      environment: environment, browser: "firefox --private-window")
    let printed = SignInPlatform.system(environment: environment, browser: "")
    return [own, hidden, printed]
  }

  static func authorities() throws -> [Authority] {
    [
      try .entra(.tenant("contoso.onmicrosoft.com")),
      try .entra(.multipleOrganizations, in: .usGovernment),
      try Authority("https://fabrikam.ciamlogin.com"),
      try Authority("https://fabrikam.b2clogin.com/tfp/fabrikam.onmicrosoft.com/B2C_1_signin"),
      try Authority("https://accounts.example.org/realms/staff"),
    ]
  }

  static func prompts(
    _ application: PublicClientApplication, _ scopes: ScopeSet
  ) async throws -> TokenResult {
    var request = InteractiveRequest(scopes: scopes)
    request.prompt = .login
    request.loginHint = "ada@contoso.example"
    request.extraScopesToConsent = ScopeSet(["Mail.Read"])
    request.deadlineMilliseconds = 60_000
    let result = try await application.acquireToken(interactive: request)
    return result
  }

  static func header(
    _ application: PublicClientApplication, _ scopes: ScopeSet, _ account: Account
  ) async throws -> String {
    var request = SilentRequest(scopes: scopes, account: account)
    request.forceRefresh = true
    let result = try await application.acquireTokenSilent(request)
    let header = result.authorizationHeader.reveal()
    return header
  }

  static func claims(_ scopes: ScopeSet, _ account: Account) throws -> SilentRequest {
    var claims = ClaimsRequest()
    claims.request(.init("auth_time", isEssential: true), in: .idToken)
    var request = SilentRequest(scopes: scopes, account: account)
    request.claims = claims
    return request
  }

  static func people(_ application: PublicClientApplication) async throws -> [Account] {
    let everybody = try await application.accounts().accounts
    let signedIn = try await application.accounts(AccountQuery(signedIn: true)).accounts
    let ada = try await application.vault.account(username: "ada@contoso.example")
    let tenants = ada.tenantProfiles.map(\.tenantID)
    try await application.vault.switchTo(ada)
    return tenants.isEmpty ? everybody : signedIn
  }

  static func editProfile(
    _ application: PublicClientApplication, _ scopes: ScopeSet, _ editing: Authority
  ) async throws {
    var request = InteractiveRequest(scopes: scopes)
    request.authority = editing
    do {
      _ = try await application.acquireToken(interactive: request)
    } catch VaultError.signIn(.policyCancelled) {
      // The user pressed "Cancel" on the page: nothing was changed.
    }
  }

  static func consent(
    _ application: PublicClientApplication, _ scopes: ScopeSet
  ) async throws -> String {
    let tenant = try await application.requestAdminConsent(scopes: scopes)
    return tenant
  }
}
