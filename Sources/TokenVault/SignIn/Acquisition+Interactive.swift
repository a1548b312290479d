import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultSystem
package import TokenVaultModel

extension Acquisition {
  /// Signs a user in through the browser (RFC 8252) and stores the account.
  package func interactive(
    _ request: InteractiveRequest, _ application: ApplicationConfiguration,
    makesCurrent: Bool = false, isBound: Bool = false
  ) throws(VaultError) -> TokenResult {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      return try limited(request.deadlineMilliseconds) { acquisition in
        try acquisition.throughBrowser(
          request, application, makesCurrent: makesCurrent, isBound: isBound)
      }
    }
  }

  private func throughBrowser(
    _ request: InteractiveRequest, _ application: ApplicationConfiguration,
    makesCurrent: Bool, isBound: Bool
  ) throws -> TokenResult {
    let endpoint = try endpoint(
      application, at: request.authority ?? application.authority,
      correlationID: request.correlationID)
    var prepared = try SignInPreparation(session, endpoint).prepared(request)
    let proof = isBound ? try newProof() : nil
    // OpenID Connect does not require a provider to have an account picker. If it has none, the
    // password is required, so that another person can sign in.
    var others: [Prompt] =
      prepared.prompt == .selectAccount && request.prompt == .ifNecessary
      ? [.login, .ifNecessary] : []
    while true {
      do {
        return try attempt(prepared, endpoint, proof, makesCurrent: makesCurrent)
      } catch SignInError.provider(let answer) where answer.refusesPrompt && !others.isEmpty {
        prepared.prompt = others.removeFirst()
      }
    }
  }

  /// Opens the browser once, and waits for the provider's response.
  private func attempt(
    _ request: InteractiveRequest, _ endpoint: TokenEndpoint, _ proof: ProofOfPossession?,
    makesCurrent: Bool
  ) throws -> TokenResult {
    let listener = try platform.receiver.listen(for: endpoint.application.redirectURI)
    defer { listener.close() }
    let authorization = try AuthorizationSession(
      request, of: endpoint, redirectURI: listener.redirectURI)
    try open(authorization.address, listener)
    return try received(
      from: listener, request.deadlineMilliseconds, authorization, page: RedirectPage.signedIn
    ) { answer in
      try finish(answer, authorization, request, endpoint, proof, makesCurrent: makesCurrent)
    }
  }

  /// Starts the browser with a one-time address of the listener, which redirects to the page.
  func open(_ page: HTTPURL, _ listener: any RedirectListener) throws(SignInError) {
    let start = try (listener as? any StartPageServing)?.serve(StartPage(page))
    report(.waitingForBrowser(page, isOpened: platform.browser.open(start ?? page)))
  }

  /// Waits for the provider's response. The user sees `page` only after `finish` succeeded.
  func received<Value>(
    from listener: any RedirectListener, _ deadlineMilliseconds: Int,
    _ authorization: AuthorizationSession, page: String,
    finish: (AuthorizationSession.Answer) throws -> Value
  ) throws -> Value {
    var outcome: Result<Value, any Error>?
    var strays: Set<StrayRequest> = []
    func reply(_ incoming: RedirectRequest) -> RedirectResult {
      switch authorization.evaluate(incoming) {
      case .stray(let reason):
        // Browsers ask for an icon.
        if reason != .path { report(.requestRefused(reason: reason.rawValue)) }
        strays.insert(reason)
        return RedirectResult(status: reason.status, page: reason.page, isAnswer: false)
      case .answer(let answer, let status):
        report(.redirectReceived)
        let result = Result { try finish(answer) }
        outcome = result
        return redirectResult(status, result, page)
      }
    }
    do {
      try listener.receive(
        deadlineMilliseconds: deadlineMilliseconds, cancellation, evaluate: reply)
    } catch {
      let isLate = error == .timedOut || (error == .cancelled && cancellation.isTimedOut)
      guard isLate else { throw error }
      // The user's own browser may run as another user.
      if strays.contains(.otherUser) { throw SignInError.browserRefused }
      throw strays.contains(.state) ? SignInError.stateMismatch : error
    }
    guard let outcome else { throw SignInError.timedOut }
    return try outcome.get()
  }

  private func redirectResult<Value>(
    _ status: Int, _ result: Result<Value, any Error>, _ page: String
  ) -> RedirectResult {
    switch result {
    case .success:
      RedirectResult(status: status, page: page, isAnswer: true)
    case .failure(let error):
      RedirectResult(
        status: 400, page: RedirectPage.failed(error as? SignInError ?? .badRedirect),
        isAnswer: true)
    }
  }

  private func finish(
    _ answer: AuthorizationSession.Answer, _ authorization: AuthorizationSession,
    _ request: InteractiveRequest, _ endpoint: TokenEndpoint, _ proof: ProofOfPossession?,
    makesCurrent: Bool
  ) throws -> TokenResult {
    let code: Redacted<String>
    switch answer {
    case .failure(let error): throw error
    case .consent: throw SignInError.badRedirect
    case .code(let redeemable): code = redeemable
    }
    try requireNotCancelled()
    let endpoint = endpoint.completing
    var extra = proof?.tokenParameters ?? FormParameters()
    extra.merge(request.extra)
    let response = try endpoint.redeem(
      code: code, verifier: authorization.verifier, redirectURI: authorization.redirectURI,
      scopes: request.scopes, claims: request.claims, extra: extra)
    let tokens: TokenResponse
    do { tokens = try TokenResponse(response) } catch {
      throw endpoint.adminConsent(request.scopes).explained(error, isInteractive: true)
    }
    return try keep(
      tokens, of: endpoint, scopes: request.scopes, nonce: authorization.nonce,
      account: request.account, proof: proof, makesCurrent: makesCurrent)
  }

  /// Signs a user in on another device (RFC 8628) and stores the account. If `account` is not nil,
  /// no other account may sign in.
  package func deviceCode(
    _ scopes: ScopeSet, claims: ClaimsRequest? = nil, extra: FormParameters = FormParameters(),
    correlationID: String = "", account: HomeAccountID? = nil, limitMilliseconds: Int? = nil,
    _ application: ApplicationConfiguration, makesCurrent: Bool = false, isBound: Bool = false
  ) throws(VaultError) -> TokenResult {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      try SharedDevice(session).requireBrowser()
      return try limited(limitMilliseconds) { acquisition in
        try acquisition.throughDevice(
          scopes, claims, extra, correlationID, account, application, makesCurrent: makesCurrent,
          isBound: isBound)
      }
    }
  }

  private func throughDevice(
    _ scopes: ScopeSet, _ claims: ClaimsRequest?, _ extra: FormParameters, _ correlationID: String,
    _ account: HomeAccountID?, _ application: ApplicationConfiguration, makesCurrent: Bool,
    isBound: Bool
  ) throws -> TokenResult {
    let endpoint = try endpoint(
      application, at: application.authority, correlationID: correlationID,
      needing: \.deviceAuthorizationEndpoint)
    let device = try endpoint.authorizeDevice(scopes: scopes, claims: claims, extra: extra)
    let completing = endpoint.completing
    let proof = isBound ? try newProof() : nil
    report(.waitingForDevice(device.code))
    var polling = DevicePolling(device)
    var action = polling.begin()
    while true {
      switch action {
      case .failed(let error):
        throw endpoint.adminConsent(scopes).explained(error, isInteractive: true)
      case .finished(let answer):
        return try keep(
          answer, of: completing, scopes: scopes, nonce: nil, account: account, proof: proof,
          makesCurrent: makesCurrent)
      case .ask(let seconds):
        try cancellation.wait(milliseconds: Int(seconds) * 1000)
        let started = Deadline.microseconds
        let answer = Result { () throws(SignInError) in
          try completing.poll(device, extra: proof?.tokenParameters ?? FormParameters())
        }
        if cancellation.isCancelled, case .failure = answer { throw SignInError.cancelled }
        action = polling.next(
          answer, elapsed: (Deadline.microseconds - started) / 1_000_000, now: session.now)
      }
    }
  }

  private func keep(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, scopes: ScopeSet, nonce: String?,
    account: HomeAccountID?, proof: ProofOfPossession?, makesCurrent: Bool
  ) throws -> TokenResult {
    let stored: SignInStorage.NewSignIn
    let validated: ValidatedTokens
    do {
      validated = try ValidatedTokens(
        answer, of: endpoint, keys: keys,
        expecting: .init(scopes: scopes, nonce: nonce, proof: proof), now: session.now)
      try requireAccount(account, validated)
      try requireNotCancelled()
      stored = try SignInStorage(session).storeAccount(
        signIn: validated, environment: endpoint.metadata.authority.environment,
        makesCurrent: makesCurrent,
        namedAs: endpoint.application.provider ?? endpoint.metadata.provider)
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

  /// Throws if the user pressed Ctrl-C: nothing has been stored yet, and nothing will be. A time limit
  /// that ends after the user has signed in comes too late.
  private func requireNotCancelled() throws(SignInError) {
    if cancellation.withoutLimit.isCancelled { throw .cancelled }
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
