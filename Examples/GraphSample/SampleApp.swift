import TokenVault

/// Signs people in and calls Microsoft Graph for them: all that this program does with TokenVault.
struct SampleApp: Sendable {
  struct BadGroupName: Error {}

  let application: PublicClientApplication
  let scopes: ScopeSet
  private let graph: String
  private let passwordReset: Authority?

  init(_ settings: Settings) throws {
    var configuration = ApplicationConfiguration(
      clientID: settings.clientID, authority: try Authority(settings.authority),
      redirectURI: try RedirectURI(settings.redirectURI))
    // "We can answer claims challenges": tokens live longer, and end at once when somebody leaves.
    configuration.clientCapabilities = ["CP1"]
    if let policy = settings.passwordReset {
      let authority = try Authority(policy)
      configuration.knownAuthorities = [authority]
      passwordReset = authority
    } else {
      passwordReset = nil
    }
    guard let group = GroupName(settings.group) else { throw BadGroupName() }
    application = PublicClientApplication(configuration, vault: try .process(group: group))
    scopes = ScopeSet(settings.scopes)
    graph = settings.graph
  }

  // MARK: Signing in

  /// Signs somebody in through the browser.
  func signIn() async throws(VaultError) -> TokenResult {
    var request = InteractiveRequest(scopes: scopes)
    request.prompt = .selectAccount
    do {
      return try await application.acquireToken(interactive: request)
    } catch .signIn(.passwordResetRequested) where passwordReset != nil {
      // Azure AD B2C: "Forgot your password?" is an answer, and its policy is ours to start.
      request.authority = passwordReset
      request.prompt = .ifNecessary
      return try await application.acquireToken(interactive: request)
    }
  }

  /// Signs somebody in where there is no browser: ``SignInEvent/waitingForDevice(_:)`` tells the code.
  func signInOnAnotherDevice() async throws(VaultError) -> TokenResult {
    try await application.acquireToken(deviceCode: DeviceCodeRequest(scopes: scopes))
  }

  /// A token without asking anybody; the browser only where the provider wants the user.
  func token(for account: Account) async throws(VaultError) -> TokenResult {
    do {
      return try await application.acquireTokenSilent(
        SilentRequest(scopes: scopes, account: account))
    } catch .interactionRequired(let reason, _, _) {
      return try await signInAgain(account, reason)
    }
  }

  /// Signs an account in again, for what the provider wants of it.
  func signInAgain(
    _ account: Account, _ reason: InteractionReason
  ) async throws(VaultError) -> TokenResult {
    var request = InteractiveRequest(scopes: scopes)
    request.loginHint = account.username
    request.account = account.homeAccountID
    request.claims = reason.claims
    return try await application.acquireToken(interactive: request)
  }

  // MARK: Calling Microsoft Graph

  /// What Graph knows of an account, as JSON. A claims challenge is answered on the way.
  func profile(of account: Account) async throws(VaultError) -> HTTPResponse {
    let request: APIRequest
    do {
      var me = try APIRequest("GET", graph + "/v1.0/me")
      me.scopes = scopes
      request = me
    } catch { throw .signIn(error) }
    do {
      return try await application.call(request, for: account)
    } catch .interactionRequired(let reason, _, _) {
      _ = try await signInAgain(account, reason)
      return try await application.call(request, for: account)
    }
  }

  // MARK: Accounts

  /// The account that is named, else the current one; nil when nobody is signed in.
  func account(_ name: String?) async throws(VaultError) -> Account? {
    if let name { return try await application.vault.account(named: name) }
    return try await application.currentAccount().account
  }

  /// Who uses the program now. On a shared device it may be somebody else than the last time: what
  /// is shown of the one before has to go.
  func currentAccount() async throws(VaultError) -> (now: Account?, hasChanged: Bool) {
    let current = try await application.currentAccount()
    switch current.previous {
    case .present(let before): return (current.account, before != current.account)
    case .left, .erased: return (current.account, true)
    case nil: return (current.account, current.account != nil)
    }
  }

  /// Signs an account out of this program; wiping it is for every program of the group.
  func signOut(
    _ account: Account, fromBrowser: Bool, wiping: Bool
  ) async throws(VaultError) -> SignOutReport {
    var parameters = SignOutParameters()
    parameters.signOutFromBrowser = fromBrowser
    parameters.wipeAccount = wiping
    return try await application.signOut(account, parameters)
  }
}
