import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSystem

/// One refresh, by the process that holds the account's byte of the lock file.
extension Acquisition {
  enum RefreshOutcome {
    case stored(TokenResult)
    /// Another process replaced the refresh token meanwhile.
    case superseded
  }

  /// A response that refuses a refresh token, and the throttle entry that results from it.
  private struct Refusal: Error {
    let error: SignInError
    let throttle: Throttle.Wish?
  }

  /// Tries the refresh tokens in their order.
  func exchange(
    _ plan: SilentPlan.Refresh, _ options: SilentOptions
  ) throws -> RefreshOutcome {
    var application =
      options.application
      ?? ApplicationConfiguration(clientID: plan.clientID, authority: plan.authority)
    application.clientID = plan.clientID
    do { try session.reserveSpace() } catch {
      // Nothing has been sent: the sign-in is as it was.
      if let fallback = plan.fallback, !fallback.isExtendedLifetime { return .stored(fallback) }
      throw error
    }
    var last: Refusal?
    trying: for token in plan.tokens {
      do {
        return try exchange(token, plan, application, options)
      } catch let refusal as Refusal {
        guard case .provider(let answer) = refusal.error else {
          last = refusal
          break trying
        }
        // The family token of another client does not work for this client, but still works for the
        // others.
        if answer.suberror == "client_mismatch" {
          last = last ?? refusal
          continue
        }
        last = refusal
        guard answer.isAboutToken else { break trying }
        guard try storage.dropRefreshToken(token.secret, plan) else { return .superseded }
      } catch SignInError.cancelled {
        throw SignInError.cancelled
      } catch let error as SignInError {
        return try fallBack(error, plan)
      }
    }
    // Only if every token was refused: a throttle entry would delay a token that was accepted.
    try storage.noteThrottle(last?.throttle, plan, options)
    return try fallBack(last?.error ?? .badAnswer(.nobody), plan)
  }

  private func exchange(
    _ refreshToken: SilentPlan.RefreshToken, _ plan: SilentPlan.Refresh,
    _ application: ApplicationConfiguration, _ options: SilentOptions
  ) throws -> RefreshOutcome {
    let endpoint = try endpoint(
      application, at: plan.authority, correlationID: options.correlationID)
    let (token, metadata) = (refreshToken.secret, endpoint.metadata)
    guard refreshToken.issuer.allows(metadata.authority, name: metadata.issuer) else {
      throw SignInError.issuedElsewhere(
        issuer: refreshToken.issuer.name, requested: metadata.issuer)
    }
    var extra = options.proof?.tokenParameters ?? FormParameters()
    extra.merge(FormParameters(sorted: options.extraParameters))
    let response = try endpoint.refresh(
      token, scopes: plan.scopes, claims: options.claims, extra: extra)
    // Before anything else: only this response has the new refresh token.
    let held: Redacted<String>
    switch try keep(response, plan, sent: token) {
    case .unchanged: held = token
    case .new(let issued, .kept): held = issued
    case .new(let issued, .superseded):
      if application.revocationEndsTokenAlone { giveBack(issued, endpoint) }
      return .superseded
    case .new(let issued, .gone):
      giveBack(issued, endpoint)
      throw signedOut(plan)
    }
    let answer: TokenResponse
    do { answer = try TokenResponse(response) } catch {
      throw Refusal(
        error: error,
        throttle: Throttle.after(response, error, at: plan.authority, now: session.now))
    }
    let validated = try validated(answer, of: endpoint, plan, options)
    switch try storage.replaceTokens(validated, for: plan, held: held) {
    case .stored(let result):
      guard validated.declined.isEmpty else {
        throw SignInError.declinedScopes(
          granted: validated.granted.scopes, declined: validated.declined)
      }
      return .stored(result)
    case .superseded: return .superseded
    case .gone(let isTokenStored):
      // A sign-out in the meantime takes precedence: nothing of the response stays.
      if !isTokenStored, let issued = answer.refreshToken { giveBack(issued, endpoint) }
      throw signedOut(plan)
    }
  }

  private func validated(
    _ answer: TokenResponse, of endpoint: TokenEndpoint, _ plan: SilentPlan.Refresh,
    _ options: SilentOptions
  ) throws(SignInError) -> ValidatedTokens {
    do {
      return try ValidatedTokens(
        answer, of: endpoint, keys: keys,
        expecting: .init(
          scopes: plan.scopes, account: plan.account.homeAccountID, realm: plan.realm,
          proof: options.proof),
        now: session.now)
    } catch .transport {
      // The provider has answered; only its keys are fetched after that.
      throw .idToken(.keysUnavailable)
    }
  }

  private func signedOut(_ plan: SilentPlan.Refresh) -> VaultError {
    .interactionRequired(.signedOut, account: plan.account, group: session.group)
  }

  // MARK: The new refresh token

  private enum NewToken {
    /// The response has no new refresh token, or one of another user.
    case unchanged
    case new(Redacted<String>, SignInStorage.KeptToken)
  }

  private func keep(
    _ response: HTTPResponse, _ plan: SilentPlan.Refresh, sent: Redacted<String>
  ) throws -> NewToken {
    guard let issued = TokenResponse.refreshToken(in: response),
      issued != sent,
      // The refresh token of another user must not be stored in this account.
      !TokenResponse.names(otherThan: plan.account.homeAccountID, plan.authority, in: response)
    else { return .unchanged }
    do {
      let kept = try storage.keepRefreshToken(
        issued, of: plan.account, client: plan.clientID, sent: sent)
      return .new(issued, kept)
    } catch {
      return .new(issued, try keepTrying(issued, plan, sent: sent, after: error))
    }
  }

  /// Stores a refresh token that the group did not accept, for as long as this call may try. The
  /// token stays in locked memory, and every later call of this process tries again.
  private func keepTrying(
    _ issued: Redacted<String>, _ plan: SilentPlan.Refresh, sent: Redacted<String>,
    after first: VaultError
  ) throws -> SignInStorage.KeptToken {
    let token = try UnstoredToken(
      issued, for: plan, sent: sent, groupPath: session.configuration.groupPath)
    UnstoredTokens.ofProcess.add(token)
    var cause = first
    let deadline = Deadline(milliseconds: storingMilliseconds)
    if !deadline.hasPassed { report(.retryingToStore) }
    while !deadline.hasPassed, !cancellation.isCancelled {
      // A group that is busy makes each attempt wait; one on a full disk does not.
      do { try cancellation.wait(milliseconds: 200) } catch { break }
      do {
        let kept = try token.store(in: session)
        UnstoredTokens.ofProcess.remove(token)
        return kept
      } catch { cause = error }
    }
    throw VaultError.refreshTokenNotStored(
      because: cause, account: plan.account, group: session.group)
  }
}
