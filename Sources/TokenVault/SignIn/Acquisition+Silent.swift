import TokenVaultGroupStore
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension Acquisition {
  private var planner: SilentPlanner { SilentPlanner(session) }
  var storage: SignInStorage { SignInStorage(session) }

  /// A token without user interaction: a stored one, or one from a refresh that a single process
  /// performs for all.
  ///
  /// While one process requests the token of an account, the others wait for the account's byte of
  /// the lock file, and then use the token that was stored.
  package func silent(
    _ request: TokenRequest, of reference: AccountReference,
    _ options: SilentOptions = SilentOptions()
  ) throws(VaultError) -> TokenResult {
    let (clientRequest, boundOptions) = try bound(request, of: reference, options)
    var (request, options) = try resolved(clientRequest, boundOptions)
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
    let options = try bound(first, options)
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
        guard let stored = try transaction.account(of: first.account) else {
          throw VaultError.interactionRequired(
            .signedOut, account: first.account, group: session.group)
        }
        let tag = try transaction.lockTag(of: stored)
        guard tag == first.tag else { return (tag, nil) }
        return (tag, try planner.plan(request, of: stored, options, in: transaction))
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

  /// The result if the provider issued no token: a token that is still valid; a token that the
  /// provider allows to be used beyond its expiry while it is down; otherwise the error.
  func fallBack(_ error: SignInError, _ plan: SilentPlan.Refresh) throws -> RefreshOutcome {
    if let fallback = plan.fallback, !fallback.isExtendedLifetime || error.isOutage {
      return .stored(fallback)
    }
    // Signing in again does not help before an administrator has consented.
    let explained = consent(plan).explained(error, isInteractive: false)
    if case .adminConsentRequired = explained { throw explained }
    if let answer = error.wantsUser(at: plan.authority) {
      throw VaultError.interactionRequired(
        .refused(answer), account: plan.account, group: session.group)
    }
    throw error
  }

  private func consent(_ plan: SilentPlan.Refresh) -> AdminConsent {
    AdminConsent(
      at: plan.authority, clientID: plan.clientID, scopes: plan.scopes,
      redirectURI: RedirectURI.standard(of: plan.authority).description)
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
    let isAsked = throttle.suberror == Throttle.asked
    throw .signIn(
      .throttled(
        untilEpochSeconds: throttle.until.epochSeconds,
        isAsked ? OAuthError(code: "slow_down", status: 429) : nil))
  }
}
