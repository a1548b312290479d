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
      return try limited(deadlineMilliseconds) { acquisition in
        try acquisition.consent(scopes, application, deadlineMilliseconds, correlationID)
      }
    }
  }

  private func consent(
    _ scopes: ScopeSet, _ application: ApplicationConfiguration, _ deadlineMilliseconds: Int,
    _ correlationID: String
  ) throws -> String {
    let endpoint = try endpoint(
      application, at: application.authority, correlationID: correlationID)
    let listener = try platform.receiver.listen(for: application.redirectURI)
    defer { listener.close() }
    let authorization = try AuthorizationSession(
      InteractiveRequest(scopes: scopes), of: endpoint, redirectURI: listener.redirectURI)
    guard let page = authorization.adminConsentPage else {
      throw SignInError.notOffered(.adminConsent)
    }
    try open(page, listener)
    return try received(
      from: listener, deadlineMilliseconds, authorization, page: RedirectPage.consented
    ) { answer in
      switch answer {
      case .consent(let tenant): return tenant
      case .failure(let error): throw error
      case .code: throw SignInError.badRedirect
      }
    }
  }
}
