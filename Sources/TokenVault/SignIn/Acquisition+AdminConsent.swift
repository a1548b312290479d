package import TokenVaultModel
package import TokenVaultSignIn

extension Acquisition {
  /// Opens the page on which an administrator consents for all users of a tenant, and waits for the
  /// answer. No account is stored.
  /// - Returns: The tenant's GUID.
  package func adminConsent(
    _ scopes: ScopeSet, _ application: ApplicationConfiguration, deadlineMilliseconds: Int,
    correlationID: String = ""
  ) throws(VaultError) -> String {
    defer { report(.finished) }
    return try vaultErrors(session.group) {
      try session.requireMembership()
      let endpoint = try endpoint(
        application, at: application.authority, correlationID: correlationID)
      let listener = try platform.receiver.listen(for: application.redirectURI)
      defer { listener.close() }
      let authorization = try AuthorizationSession(
        InteractiveRequest(scopes: scopes), of: endpoint, redirectURI: listener.redirectURI)
      guard let page = authorization.adminConsentPage else {
        throw SignInError.notOffered(.adminConsent)
      }
      report(.waitingForBrowser(page, isOpened: platform.browser.open(page)))
      var outcome: Result<String, SignInError>?
      try listener.receive(
        deadlineMilliseconds: deadlineMilliseconds, cancellation
      ) { incoming in
        let (status, answer) = authorization.evaluate(incoming)
        guard let answer else {
          return RedirectResult(status: status, page: RedirectPage.foreign, isAnswer: false)
        }
        report(.redirectReceived)
        let result = Self.tenant(answer)
        outcome = result
        switch result {
        case .success:
          return RedirectResult(status: status, page: RedirectPage.consented, isAnswer: true)
        case .failure(let error):
          return RedirectResult(status: 400, page: RedirectPage.failed(error), isAnswer: true)
        }
      }
      guard let outcome else { throw SignInError.timedOut }
      return try outcome.get()
    }
  }

  private static func tenant(_ answer: AuthorizationSession.Answer) -> Result<String, SignInError> {
    switch answer {
    case .consent(let tenant): .success(tenant)
    case .failure(let error): .failure(error)
    case .code: .failure(.badRedirect)
    }
  }
}
