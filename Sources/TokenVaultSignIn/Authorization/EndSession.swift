/// Signs the user out of the provider's session in the browser.
package enum EndSession {
  /// The page that ends the session (OIDC RP-Initiated Logout section 2); nil if the provider has
  /// none.
  ///
  /// The URL contains no ID token, since it ends up in the browser's history and in an argument of
  /// the command that opens it. The provider therefore asks the user to confirm.
  package static func address(
    at metadata: ProviderMetadata, clientID: String, username: String, extra: FormParameters
  ) -> HTTPURL? {
    guard let page = metadata.endSessionEndpoint else { return nil }
    var parameters = FormParameters(["client_id": clientID])
    if !username.isEmpty { parameters.append("logout_hint", username) }
    parameters.merge(extra)
    return page.adding(parameters)
  }
}
