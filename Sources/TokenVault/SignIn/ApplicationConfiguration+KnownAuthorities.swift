import TokenVaultModel
import TokenVaultSignIn

extension ApplicationConfiguration {
  /// Whether a request may name this authority: the application's own, a known one, or one of
  /// Microsoft's clouds. An attacker could run any other, and a token request goes there with the
  /// user's consent to this application (MSAL's knownAuthorities).
  func admits(_ authority: Authority) -> Bool {
    CloudEnvironment.isKnownCloud(authority.environment)
      || ([self.authority] + knownAuthorities).contains {
        $0 == authority
          || $0.address.origin == authority.address.origin && $0.kind == authority.kind
      }
  }
}
