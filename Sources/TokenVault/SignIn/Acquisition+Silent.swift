import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension Acquisition {
  private var planner: SilentPlanner { SilentPlanner(session) }
  private var storage: SignInStorage { SignInStorage(session) }

  /// A token without user interaction: a stored one, or one from a refresh that a single process
  /// performs for all.
  ///
  /// While one process requests the token of an account, the others wait for the account's byte of
  /// the lock file, and then use the token that was stored.
  package func silent(
    _ request: TokenRequest, of reference: AccountReference,
    _ options: SilentOptions = SilentOptions()
  ) throws(VaultError) -> TokenResult {
    var (request, options) = try resolved(request, options)
    var plan = try planner.plan(request, of: reference, options)
    if request.tenantID != nil, case .refresh(let refresh) = plan {
      if let tenant = try resolved(refresh.authority).tenantID, tenant != request.tenantID {
        request.tenantID = tenant
        plan = try planner.plan(request, of: reference, options)
      }
    }
    var first: SilentPlan.Refresh
    switch plan {
    case .serve(let result): return result
    case .refresh(let plan): first = plan
    }
    if let throttle = first.throttle { return try throttled(first, throttle) }
    return try vaultErrors(session.group) {
      // Each round but the last one found that the group was renewed meanwhile.
      for _ in 0..<10 {
        do { return try whileLocked(first) { try refreshed(first, request, options) } } catch let
          moved as AccountMoved
        {
          first.tag = moved.tag
        }
      }
      throw StoreError.busy
    }
  }

  /// Runs `refresh` while this process holds the account's byte of the lock file.
  private func whileLocked(
    _ plan: SilentPlan.Refresh, _ refresh: () throws -> TokenResult
  ) throws -> TokenResult {
    // A caller with a token that is still valid does not wait for a process that hangs.
    let spare = plan.fallback.flatMap { $0.isExtendedLifetime ? nil : $0 }
    var isWaiting = false
    do {
      return try FileLock.hold(
        session.configuration.refreshLockPath, offset: Self.offset(plan.tag),
        waiting: spare == nil ? 120_000 : 2_000,
        unless: {
          if !isWaiting { report(.waitingForOtherProcess) }
          isWaiting = true
          return cancellation.isCancelled
        }, refresh)
    } catch StoreError.busy {
      if cancellation.isCancelled { throw SignInError.cancelled }
      guard let spare else { throw StoreError.busy }
      return spare
    }
  }

  /// The account has another tag than in the plan, and so another byte of the lock file.
  private struct AccountMoved: Error { let tag: [UInt8] }

  /// Tokens are stored under the GUID of a tenant. If a request names the tenant by its domain, the
  /// provider resolves it. While the provider is down, the name stays unresolved, and a token of
  /// the account's home tenant is served.
  private func resolved(
    _ request: TokenRequest, _ options: SilentOptions
  ) throws(VaultError) -> (TokenRequest, SilentOptions) {
    var (request, options) = (request, options)
    if let authority = request.authority {
      request.authority = try resolved(authority)
    } else if let authority = options.application?.authority {
      options.application?.authority = try resolved(authority)
    }
    return (request, options)
  }

  private func resolved(_ authority: Authority) throws(VaultError) -> Authority {
    do { return try directory.resolved(authority, cancellation) } catch {
      guard error.isOutage else { throw .signIn(error) }
      return authority
    }
  }

  /// The byte of the lock file that stands for an account. It is derived from a keyed tag, so it
  /// does not reveal the account.
  private static func offset(_ tag: [UInt8]) -> Int64 {
    Int64(tag.prefix(7).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Refreshes while this process holds the lock.
  private func refreshed(
    _ first: SilentPlan.Refresh, _ request: TokenRequest, _ options: SilentOptions
  ) throws -> TokenResult {
    // If a sign-in or an import wins the race, the request is planned again; each round has a new
    // cause.
    for _ in 0..<3 {
      let plan: SilentPlan.Refresh
      switch try winner(first, request, options) {
      case .serve(let result): return result
      case .refresh(let next): plan = next
      }
      if let throttle = plan.throttle { return try throttled(plan, throttle) }
      switch try exchange(plan, options) {
      case .stored(let result): return result
      case .superseded: continue
      }
    }
    throw StoreError.busy
  }

  /// The plan after another process may have refreshed while this one waited for the lock. A token
  /// that was not stored before is as new as the one that this process was about to request.
  private func winner(
    _ first: SilentPlan.Refresh, _ request: TokenRequest, _ options: SilentOptions
  ) throws -> SilentPlan {
    func plan(_ options: SilentOptions) throws -> SilentPlan {
      let (tag, plan) = try session.read { transaction -> ([UInt8], SilentPlan?) in
        guard let stored = try transaction.account(of: first.account.identity) else {
          throw VaultError.interactionRequired(
            .signedOut, account: first.account, group: session.group)
        }
        guard stored.tag == first.tag else { return (stored.tag, nil) }
        return (stored.tag, try planner.plan(request, of: stored, options, in: transaction))
      }
      guard let plan else { throw AccountMoved(tag: tag) }
      return plan
    }
    let next = try plan(options)
    guard case .refresh(let refresh) = next, options.forceRefresh, options.claims == nil,
      refresh.known != first.known
    else { return next }
    var ordinary = options
    ordinary.forceRefresh = false
    let stored = try plan(ordinary)
    if case .serve = stored { return stored }
    return next
  }

  private enum Outcome {
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
  private func exchange(_ plan: SilentPlan.Refresh, _ options: SilentOptions) throws -> Outcome {
    var application =
      options.application
      ?? ApplicationConfiguration(clientID: plan.clientID, authority: plan.authority)
    application.clientID = plan.clientID
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
        guard try storage.dropRefreshToken(token, plan) else { return .superseded }
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
    _ token: Redacted<String>, _ plan: SilentPlan.Refresh, _ application: ApplicationConfiguration,
    _ options: SilentOptions
  ) throws -> Outcome {
    let endpoint = try endpoint(
      application, at: plan.authority, correlationID: options.correlationID)
    var extra = options.proof?.tokenParameters ?? FormParameters()
    extra.merge(FormParameters(sorted: options.extraParameters))
    let response = try endpoint.refresh(
      token, scopes: plan.scopes, claims: options.claims, extra: extra)
    let answer: TokenResponse
    do { answer = try TokenResponse(response) } catch {
      try storage.keepRefreshToken(of: response, for: plan, sent: token)
      throw Refusal(error: error, throttle: Throttle.after(response, error, now: session.now))
    }
    let validated: ValidatedTokens
    do {
      validated = try ValidatedTokens(
        answer, of: endpoint, keys: keys,
        expecting: .init(
          scopes: plan.scopes, account: plan.account.homeAccountID, realm: plan.realm,
          keyID: options.proof?.keyID ?? ""),
        now: session.now)
    } catch {
      // The refresh token of another user must not be stored in this account.
      if error != .mismatchedUser, error != .idToken(.subject) {
        try storage.keepRefreshToken(of: response, for: plan, sent: token)
      }
      throw error
    }
    switch try storage.replaceTokens(validated, for: plan, sent: token) {
    case .stored(let result):
      guard validated.declined.isEmpty else {
        throw SignInError.declinedScopes(
          granted: validated.granted.scopes, declined: validated.declined)
      }
      return .stored(result)
    case .superseded: return .superseded
    case .gone:
      // A sign-out in the meantime takes precedence: the new token is not stored, unless the one
      // that was sent is still stored for the other clients of its family.
      try storage.keepRefreshToken(of: response, for: plan, sent: token)
      throw VaultError.interactionRequired(.signedOut, account: plan.account, group: session.group)
    }
  }

  /// The result if the provider issued no token: a token that is still valid; a token that the
  /// provider allows to be used beyond its expiry while it is down; otherwise the error.
  private func fallBack(_ error: SignInError, _ plan: SilentPlan.Refresh) throws -> Outcome {
    if let fallback = plan.fallback, !fallback.isExtendedLifetime || error.isOutage {
      return .stored(fallback)
    }
    if let answer = error.wantsUser {
      throw VaultError.interactionRequired(
        .refused(answer), account: plan.account, group: session.group)
    }
    throw error
  }

  private func throttled(
    _ plan: SilentPlan.Refresh, _ throttle: AccountRecord.ThrottleEntry
  ) throws(VaultError) -> TokenResult {
    let answer = OAuthError(code: throttle.code, suberror: throttle.suberror)
    let isOutage = throttle.code == Throttle.outage
    if let fallback = plan.fallback, !fallback.isExtendedLifetime || isOutage { return fallback }
    guard isOutage else {
      throw .interactionRequired(.refused(answer), account: plan.account, group: session.group)
    }
    throw .signIn(.throttled(untilEpochSeconds: throttle.until.epochSeconds, nil))
  }
}
