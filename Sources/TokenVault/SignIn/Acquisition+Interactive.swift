import TokenVaultGroupStore
package import TokenVaultSignIn
import TokenVaultCrypto
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
      let endpoint = try endpoint(
        application, at: request.authority ?? application.authority,
        correlationID: request.correlationID)
      let preparation = SignInPreparation(session, endpoint)
      var prepared = try preparation.prepared(request)
      let proof = isBound ? try newProof() : nil
      do {
        return try attempt(prepared, endpoint, proof, makesCurrent: makesCurrent)
      } catch SignInError.provider(let answer)
        where prepared.prompt == .selectAccount && request.prompt == .ifNecessary
        && answer.refusesPrompt
      {
        // OpenID Connect does not require a provider to have an account picker.
        prepared.prompt = request.prompt
        return try attempt(prepared, endpoint, proof, makesCurrent: makesCurrent)
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
    let isOpened = platform.browser.open(authorization.address)
    report(.waitingForBrowser(authorization.address, isOpened: isOpened))
    var outcome: Result<TokenResult, any Error>?
    try listener.receive(
      deadlineMilliseconds: request.deadlineMilliseconds, cancellation
    ) { incoming in
      let (status, answer) = authorization.evaluate(incoming)
      guard let answer else {
        return RedirectResult(status: status, page: RedirectPage.foreign, isAnswer: false)
      }
      report(.redirectReceived)
      // The page shows the result of this step, so it never reports a sign-in that failed.
      let result = Result {
        try finish(answer, authorization, request, endpoint, proof, makesCurrent: makesCurrent)
      }
      outcome = result
      return redirectResult(status, result)
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
    correlationID: String = "", account: HomeAccountID? = nil,
    _ application: ApplicationConfiguration, makesCurrent: Bool = false, isBound: Bool = false
  ) throws(VaultError) -> TokenResult {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      let endpoint = try endpoint(
        application, at: application.authority, correlationID: correlationID)
      let device = try endpoint.authorizeDevice(scopes: scopes, claims: claims, extra: extra)
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
            answer, of: endpoint, scopes: scopes, nonce: nil, account: account, proof: proof,
            makesCurrent: makesCurrent)
        case .ask(let seconds):
          try cancellation.wait(milliseconds: Int(seconds) * 1000)
          action = polling.next(
            Result { () throws(SignInError) in
              try endpoint.poll(device, extra: proof?.tokenParameters ?? FormParameters())
            })
        }
      }
    }
  }

  private func keep(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, scopes: ScopeSet, nonce: String?,
    account: HomeAccountID?, proof: ProofOfPossession?, makesCurrent: Bool
  ) throws -> TokenResult {
    let validated = try ValidatedTokens(
      answer, of: endpoint, keys: keys,
      expecting: .init(scopes: scopes, nonce: nonce, proof: proof),
      now: session.now)
    if let account {
      let type = validated.authority.authorityType
      func identity(_ id: HomeAccountID) -> AccountIdentity {
        AccountIdentity(
          homeAccountID: id, environment: validated.authority.environment, authorityType: type)
      }
      guard identity(account) == identity(HomeAccountID(validated.homeAccountID)) else {
        throw SignInError.mismatchedUser
      }
    }
    // Ctrl-C during the exchange: nothing has been stored yet, and nothing will be.
    if cancellation.isCancelled { throw SignInError.cancelled }
    let result: TokenResult
    do {
      result = try SignInStorage(session).storeAccount(
        signIn: validated, environment: endpoint.metadata.authority.environment,
        makesCurrent: makesCurrent)
    } catch {
      giveBack(validated, endpoint)
      throw error
    }
    guard validated.declined.isEmpty else {
      throw SignInError.declinedScopes(
        granted: validated.granted.scopes, declined: validated.declined)
    }
    return result
  }

  /// Revokes a token that cannot be stored here (the shared device has an account, the disk is
  /// full), so that it is useless to anyone who obtains it.
  private func giveBack(_ validated: ValidatedTokens, _ endpoint: TokenEndpoint) {
    guard let token = validated.answer.refreshToken else { return }
    // The user sees the reason why the token could not be stored. Revocation is attempted as well
    // as possible.
    do { _ = try endpoint.revoke(token, hint: "refresh_token") } catch { return }
  }
}
