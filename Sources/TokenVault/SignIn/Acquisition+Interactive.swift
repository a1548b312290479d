import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultSystem
package import TokenVaultModel

extension Acquisition {
  /// Signs a user in through the browser (RFC 8252) and stores the account.
  package func interactive(
    _ request: InteractiveRequest, _ application: ApplicationConfiguration,
    makesCurrent: Bool = false, proof: ProofOfPossession? = nil
  ) throws(VaultError) -> TokenResult {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      return try limited(request.deadlineMilliseconds) { acquisition in
        try acquisition.throughBrowser(
          request, application, makesCurrent: makesCurrent, proof: proof)
      }
    }
  }

  private func throughBrowser(
    _ request: InteractiveRequest, _ application: ApplicationConfiguration,
    makesCurrent: Bool, proof: ProofOfPossession?
  ) throws -> TokenResult {
    let endpoint = try endpoint(
      application, at: request.authority ?? application.authority,
      correlationID: request.correlationID)
    let listener = try platform.receiver.listen(for: application.redirectURI)
    defer { listener.close() }
    let authorization = try AuthorizationSession(
      try aware(request, application), of: endpoint, redirectURI: listener.redirectURI)
    let start = try (listener as? any StartPageServing)?.serve(StartPage(authorization.address))
    let isOpened = platform.browser.open(start ?? authorization.address)
    report(.waitingForBrowser(authorization.address, isOpened: isOpened))
    return try received(from: listener, request.deadlineMilliseconds, authorization) { answer in
      try finish(answer, authorization, request, endpoint, proof, makesCurrent: makesCurrent)
    }
  }

  /// Waits for the provider's response. The page shows the result of `finish`, so it never reports a
  /// sign-in that failed.
  private func received(
    from listener: any RedirectListener, _ deadlineMilliseconds: Int,
    _ authorization: AuthorizationSession,
    finish: (AuthorizationSession.Answer) throws -> TokenResult
  ) throws -> TokenResult {
    var outcome: Result<TokenResult, any Error>?
    var hasForgedState = false
    func reply(_ incoming: RedirectRequest) -> RedirectResult {
      switch authorization.evaluate(incoming) {
      case .stray(let reason):
        // Browsers ask for an icon.
        if reason != .path { report(.requestRefused(reason: reason.rawValue)) }
        hasForgedState = hasForgedState || reason == .state
        return RedirectResult(status: reason.status, page: RedirectPage.foreign, isAnswer: false)
      case .answer(let answer, let status):
        report(.redirectReceived)
        let result = Result { try finish(answer) }
        outcome = result
        return redirectResult(status, result)
      }
    }
    do {
      try listener.receive(
        deadlineMilliseconds: deadlineMilliseconds, cancellation, evaluate: reply)
    } catch {
      let isLate = error == .timedOut || (error == .cancelled && cancellation.isTimedOut)
      throw isLate && hasForgedState ? SignInError.stateMismatch : error
    }
    guard let outcome else { throw SignInError.timedOut }
    return try outcome.get()
  }

  private func redirectResult(
    _ status: Int, _ result: Result<TokenResult, any Error>
  ) -> RedirectResult {
    switch result {
    case .success:
      RedirectResult(status: status, page: RedirectPage.signedIn, isAnswer: true)
    case .failure(let error):
      RedirectResult(
        status: 400, page: RedirectPage.failed(error as? SignInError ?? .badRedirect),
        isAnswer: true)
    }
  }

  /// Adds what is stored about the requested account. An account that was signed out on purpose has
  /// to enter its password again, even if the browser still has a session (MSAL for iOS and macOS),
  /// and the provider's page starts with the user name of the requested account.
  private func aware(
    _ request: InteractiveRequest, _ application: ApplicationConfiguration
  ) throws(VaultError) -> InteractiveRequest {
    let name = request.account?.identifier ?? request.loginHint
    guard !name.isEmpty else { return request }
    let client = CaseFolding.key(application.clientID)
    let username: String
    let hasSignedOut: Bool
    do {
      (username, hasSignedOut) = try session.read { transaction in
        do {
          let record = try session.lookup.stored(.named(name), in: transaction).record
          return (record.username, record.clients[client] == .signedOut)
        } catch VaultError.noAccount {
          return ("", transaction.state.signedOutClients.contains(client))
        }
      }
    } catch .noGroup { return request } catch .ambiguousAccount { return request }
    var request = request
    if hasSignedOut, request.prompt != .consent { request.prompt = .login }
    if request.loginHint.isEmpty { request.loginHint = username }
    return request
  }

  private func finish(
    _ answer: AuthorizationSession.Answer, _ authorization: AuthorizationSession,
    _ request: InteractiveRequest, _ endpoint: TokenEndpoint, _ proof: ProofOfPossession?,
    makesCurrent: Bool
  ) throws -> TokenResult {
    let code: Redacted<String>
    switch answer {
    case .failure(let error): throw error
    case .code(let redeemable): code = redeemable
    }
    var extra = proof?.tokenParameters ?? FormParameters()
    extra.merge(request.extra)
    let response = try endpoint.redeem(
      code: code, verifier: authorization.verifier, redirectURI: authorization.redirectURI,
      scopes: request.scopes, claims: request.claims, extra: extra)
    return try keep(
      try TokenResponse(response), of: endpoint, scopes: request.scopes, nonce: authorization.nonce,
      account: request.account, keyID: proof?.keyID ?? "", makesCurrent: makesCurrent)
  }

  /// Signs a user in on another device (RFC 8628) and stores the account. If `account` is not nil,
  /// no other account may sign in.
  package func deviceCode(
    _ scopes: ScopeSet, claims: ClaimsRequest? = nil, extra: FormParameters = FormParameters(),
    correlationID: String = "", account: HomeAccountID? = nil, limitMilliseconds: Int? = nil,
    _ application: ApplicationConfiguration, makesCurrent: Bool = false
  ) throws(VaultError) -> TokenResult {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      return try limited(limitMilliseconds) { acquisition in
        try acquisition.throughDevice(
          scopes, claims, extra, correlationID, account, application, makesCurrent: makesCurrent)
      }
    }
  }

  private func throughDevice(
    _ scopes: ScopeSet, _ claims: ClaimsRequest?, _ extra: FormParameters, _ correlationID: String,
    _ account: HomeAccountID?, _ application: ApplicationConfiguration, makesCurrent: Bool
  ) throws -> TokenResult {
    let endpoint = try endpoint(
      application, at: application.authority, correlationID: correlationID,
      needing: \.deviceAuthorizationEndpoint)
    let device = try endpoint.authorizeDevice(scopes: scopes, claims: claims, extra: extra)
    report(.waitingForDevice(device.code))
    var polling = DevicePolling(device)
    var action = polling.begin()
    while true {
      switch action {
      case .failed(let error): throw error
      case .finished(let answer):
        return try keep(
          answer, of: endpoint, scopes: scopes, nonce: nil, account: account,
          makesCurrent: makesCurrent)
      case .ask(let seconds):
        try cancellation.wait(milliseconds: Int(seconds) * 1000)
        let started = Deadline.microseconds
        let answer = Result { () throws(SignInError) in try endpoint.poll(device) }
        if cancellation.isCancelled, case .failure = answer { throw SignInError.cancelled }
        action = polling.next(
          answer, elapsed: (Deadline.microseconds - started) / 1_000_000, now: session.now)
      }
    }
  }

  private func keep(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, scopes: ScopeSet, nonce: String?,
    account: HomeAccountID?, keyID: String = "", makesCurrent: Bool
  ) throws -> TokenResult {
    let stored: SignInStorage.NewSignIn
    let validated: ValidatedTokens
    do {
      validated = try ValidatedTokens(
        answer, of: endpoint, keys: keys,
        expecting: .init(scopes: scopes, nonce: nonce, keyID: keyID), now: session.now)
      try requireAccount(account, validated)
      // Ctrl-C during the exchange: nothing has been stored yet, and nothing will be. A time limit
      // that ends now comes too late.
      if cancellation.isCancelled, !cancellation.isTimedOut { throw SignInError.cancelled }
      stored = try SignInStorage(session).storeAccount(
        signIn: validated, environment: endpoint.metadata.authority.environment,
        makesCurrent: makesCurrent)
    } catch {
      giveBack(answer, endpoint)
      throw error
    }
    if endpoint.application.revocationEndsTokenAlone {
      for token in stored.replaced { giveBack(token, endpoint) }
    }
    guard validated.declined.isEmpty else {
      throw SignInError.declinedScopes(
        granted: validated.granted.scopes, declined: validated.declined)
    }
    return stored.result
  }

  /// Throws unless the user who signed in is the requested one; nil for anyone.
  private func requireAccount(
    _ account: HomeAccountID?, _ validated: ValidatedTokens
  ) throws(SignInError) {
    guard let account else { return }
    func identity(_ id: HomeAccountID) -> AccountIdentity {
      AccountIdentity(
        homeAccountID: id, environment: validated.authority.environment,
        authorityType: validated.authority.authorityType)
    }
    guard identity(account) == identity(HomeAccountID(validated.homeAccountID)) else {
      throw .mismatchedUser
    }
  }
}
