import TokenVaultSignIn

/// Signs accounts out: erases them on this machine first, then revokes their tokens and ends their
/// sessions at the providers (RFC 7009, OpenID Connect RP-Initiated Logout).
package struct Revocation {
  private let acquisition: Acquisition

  package init(_ acquisition: Acquisition) { self.acquisition = acquisition }

  /// Signs accounts out. The erasure does not depend on the network, and no response of a provider
  /// restores anything.
  package func signOut(
    _ scope: Erasure.Scope, _ options: SignOutOptions = SignOutOptions()
  ) throws(VaultError) -> SignOutReport {
    tell(try Erasure(acquisition.session).run(scope, client: options.clientID), options)
  }

  /// Revokes the tokens of erased accounts at their providers, as the options say.
  /// - Parameters:
  ///   - erased: The result of the erasure.
  ///   - options: The requests to send.
  ///   - progress: Called after each account and client with their number so far, and of all.
  /// - Returns: The report of the erasure, with the results from the providers.
  package func tell(
    _ erased: Erasure.Result, _ options: SignOutOptions,
    progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) -> SignOutReport {
    var report = erased.report
    let targets = erased.targets.filter { !$0.tokens.isEmpty }
    if !options.revokes {
      report.unasked = Set(targets.map(\.environment)).sorted()
    } else {
      // The user does not wait for each account of a provider that does not respond.
      var down: [String: SignInError] = [:]
      report.revocations = targets.enumerated().map { index, target in
        defer { progress(index + 1, targets.count) }
        let origin = target.authority?.address.origin ?? ""
        let outcome = down[origin].map { .failed($0) } ?? revoke(target)
        if case .failed(let error) = outcome, error.isOutage { down[origin] = error }
        return SignOutReport.Revocation(
          environment: target.environment, clientID: target.clientID, outcome: outcome)
      }
    }
    if options.endsBrowserSession ?? erased.isSharedDevice {
      var pages: [SignOutReport.BrowserSession] = []
      for target in erased.targets {
        let page = endSession(target, options)
        if !pages.contains(page) { pages.append(page) }
      }
      report.browserSessions = pages
    }
    acquisition.report(.finished)
    return report
  }

  /// Nil if the authority is not known.
  private func endpoint(_ target: RevocationTarget) throws(SignInError) -> TokenEndpoint? {
    guard let authority = target.authority else { return nil }
    var application = ApplicationConfiguration(clientID: target.clientID, authority: authority)
    // The user is waiting, and the accounts are already erased.
    application.requestTimeoutMilliseconds = 10_000
    application.retryCount = 0
    do {
      return try acquisition.endpoint(
        application, at: authority, describedBy: description(authority), correlationID: "",
        needing: \.revocationEndpoint)
    } catch let error as SignInError { throw error } catch { return nil }
  }

  /// Nil for a provider without a file, or with one that cannot be used: the discovery document of
  /// the provider has an endpoint, too, and a broken file must not keep the tokens valid.
  private func description(_ authority: Authority) -> ProviderDescription? {
    // absent is an answer: see above.
    do { return try acquisition.session.provider(of: authority) } catch { return nil }
  }

  private func revoke(_ target: RevocationTarget) -> SignOutReport.Revocation.Outcome {
    guard let authority = target.authority else { return .unknownAuthority }
    // Decided without contacting the provider, so that signing out of these accounts needs no
    // network.
    if authority.isWithoutRevocation { return .notOffered }
    do {
      guard let endpoint = try endpoint(target) else { return .unknownAuthority }
      for token in target.tokens {
        guard try endpoint.revoke(token, hint: target.hint) else {
          let page = endpoint.metadata.provider?.revocationPage
          return page.map { .byUserOnly($0) } ?? .notOffered
        }
      }
      return .revoked
    } catch { return .failed(error) }
  }

  private func endSession(
    _ target: RevocationTarget, _ options: SignOutOptions
  ) -> SignOutReport.BrowserSession {
    do {
      guard let endpoint = try endpoint(target),
        let page = EndSession.address(
          at: endpoint.metadata, clientID: target.clientID, username: target.username,
          extra: options.extraParameters)
      else { return .notOffered(environment: target.environment) }
      return acquisition.platform.browser.open(page) ? .opened(page) : .notOpened(page)
    } catch {
      return .failed(environment: target.environment, error)
    }
  }
}
