import TokenVault

/// Signs users in and calls Microsoft Graph for them. Everything that this program does with
/// TokenVault is in this file.
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
    // CP1 declares that this client can answer claims challenges. Tokens then live longer, and end
    // at once when a user is disabled.
    configuration.clientCapabilities = ["CP1"]
    configuration.knownAuthorities = try (settings.knownAuthorities ?? []).map { try Authority($0) }
    if let policy = settings.passwordReset {
      let authority = try Authority(policy)
      configuration.knownAuthorities.append(authority)
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

  /// Signs a user in through the browser.
  func signIn() async throws(VaultError) -> TokenResult {
    var request = InteractiveRequest(scopes: scopes)
    request.prompt = .selectAccount
    do {
      return try await application.acquireToken(interactive: request)
    } catch .signIn(.passwordResetRequested) where passwordReset != nil {
      // Azure AD B2C reports "Forgot your password?" as an error; the application then starts the
      // policy that resets the password.
      request.authority = passwordReset
      request.prompt = .ifNecessary
      return try await application.acquireToken(interactive: request)
    }
  }

  /// Signs a user in without a browser on this machine: ``SignInEvent/waitingForDevice(_:)``
  /// carries the code to enter on another device.
  func signInOnAnotherDevice() async throws(VaultError) -> TokenResult {
    try await application.acquireToken(deviceCode: DeviceCodeRequest(scopes: scopes))
  }

  /// Gets a token silently; opens the browser only if user interaction is required.
  func token(for account: Account) async throws(VaultError) -> TokenResult {
    do {
      return try await application.acquireTokenSilent(
        SilentRequest(scopes: scopes, account: account))
    } catch .interactionRequired(let reason, _, _) {
      return try await signInAgain(account, reason)
    }
  }

  /// Signs an account in again, with the claims that the provider requires.
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

  /// Gets the account's profile from Graph, as JSON. The library answers a claims challenge on the
  /// way.
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

  /// The named account, or the current one if `name` is nil; nil if no account is signed in.
  func account(_ name: String?) async throws(VaultError) -> Account? {
    if let name { return try await application.vault.account(named: name) }
    return try await application.currentAccount().account
  }

  /// The current account. On a shared device it may differ from the one of the last call; the
  /// program must then stop showing the previous account's data.
  func currentAccount() async throws(VaultError) -> (now: Account?, hasChanged: Bool) {
    let current = try await application.currentAccount()
    switch current.previous {
    case .present(let before): return (current.account, before != current.account)
    case .left, .erased: return (current.account, true)
    case nil: return (current.account, current.account != nil)
    }
  }

  /// Signs an account out of this program, or, with `wiping`, out of every program of the group.
  func signOut(
    _ account: Account, fromBrowser: Bool, wiping: Bool
  ) async throws(VaultError) -> SignOutReport {
    var parameters = SignOutParameters()
    if fromBrowser { parameters.signOutFromBrowser = true }
    parameters.wipeAccount = wiping
    return try await application.signOut(account, parameters)
  }
}
