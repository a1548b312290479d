public import TokenVaultModel
import TokenVaultSignIn

extension PublicClientApplication {
  /// Opens the page on which an administrator of a Microsoft Entra tenant consents to `scopes` for
  /// all its users, and waits for the answer. No account is stored. Call it after
  /// ``SignInError/adminConsentRequired(page:_:)`` if the user is an administrator; otherwise show
  /// that error's page to one.
  /// - Returns: The GUID of the tenant.
  /// - Throws: ``VaultError/signIn(_:)`` with ``SignInError/adminConsentRequired(page:_:)`` if
  ///   consent was not given, otherwise as ``acquireToken(interactive:)``.
  @discardableResult
  public func requestAdminConsent(scopes: ScopeSet) async throws(VaultError) -> String {
    let application = configuration
    return try await exclusively { (acquisition) throws(VaultError) in
      try acquisition.adminConsent(
        scopes, application,
        deadlineMilliseconds: InteractiveRequest(scopes: scopes).deadlineMilliseconds)
    }
  }
}
