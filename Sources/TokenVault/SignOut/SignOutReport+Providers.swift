public import TokenVaultSignIn

extension SignOutReport {
  /// What a provider was told about one client of an account.
  public struct Revocation: Sendable {
    /// What came of it.
    public enum Outcome: Hashable, Sendable {
      /// The provider took the tokens back (RFC 7009).
      case revoked
      /// The provider has no way to do so: what was handed out stays valid until it ends.
      case notOffered
      /// The provider could not be asked, or refused; the tokens are gone here all the same.
      case failed(SignInError)
      /// It is not known who issued them.
      case unknownAuthority
    }

    /// The provider's host.
    public let environment: String
    /// The client.
    public let clientID: String
    /// What came of it.
    public let outcome: Outcome
  }

  /// What became of the provider's session in the browser.
  public enum BrowserSession: Hashable, Sendable {
    /// The provider's page was opened; the user may have to confirm there.
    case opened(HTTPURL)
    /// No browser was started: the user can open this page.
    case notOpened(HTTPURL)
    /// The provider has no such page.
    case notOffered(environment: String)
    /// The provider could not be asked for its page.
    case failed(environment: String, SignInError)
  }
}
