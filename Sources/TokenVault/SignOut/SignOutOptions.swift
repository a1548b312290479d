package import TokenVaultSignIn

/// What a sign-out does beside the erasure.
package struct SignOutOptions: Sendable {
  /// Only this client; nil for all.
  package var clientID: String?
  /// Whether the provider is told.
  package var revokes = true
  /// Whether the provider's session in the browser is ended too.
  package var endsBrowserSession = false
  /// Further parameters for the page that ends the session.
  package var extraParameters = FormParameters()

  package init() {}
}
