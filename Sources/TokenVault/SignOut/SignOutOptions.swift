package import TokenVaultSignIn

/// The scope of a sign-out, and its steps besides the erasure.
package struct SignOutOptions: Sendable {
  /// The client to sign out; nil for all.
  package var clientID: String?
  /// Whether the tokens are revoked at the provider.
  package var revokes = true
  /// Whether the provider's session in the browser is ended too; nil for a shared device only, where
  /// the next person uses the same browser.
  package var endsBrowserSession: Bool?
  /// Further parameters for the page that ends the session.
  package var extraParameters = FormParameters()

  package init() {}
}
