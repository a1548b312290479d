public import TokenVaultSignIn

extension SignOutReport {
  /// The revocation of the tokens of one client of an account.
  public struct Revocation: Sendable {
    /// The result of a revocation.
    public enum Outcome: Hashable, Sendable {
      /// The provider revoked the tokens (RFC 7009).
      case revoked
      /// The provider does not offer revocation: tokens that it issued stay valid until they
      /// expire.
      case notOffered
      /// The provider revokes tokens only on this page, where the user has to do it.
      case byUserOnly(HTTPURL)
      /// The provider did not respond, or refused. The tokens are erased from this machine
      /// nevertheless.
      case failed(SignInError)
      /// The authority that issued the tokens is not known.
      case unknownAuthority
    }

    /// The provider's host.
    public let environment: String
    /// The client id.
    public let clientID: String
    /// The result of the revocation.
    public let outcome: Outcome
  }

  /// The result of ending the provider's session in the browser.
  public enum BrowserSession: Hashable, Sendable {
    /// The provider's page was opened; the user may have to confirm the sign-out there.
    case opened(HTTPURL)
    /// No browser could be started: the user can open this page.
    case notOpened(HTTPURL)
    /// The provider has no page that ends the session.
    case notOffered(environment: String)
    /// The address of the provider's page could not be determined, because of this error.
    case failed(environment: String, SignInError)
  }
}
