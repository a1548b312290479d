/// The `prompt` parameter of an authorization request (OIDC Core section 3.1.2.1): the step that
/// the provider's page must ask of the user.
public enum Prompt: String, Hashable, Sendable, CaseIterable {
  /// Only the steps that the provider finds necessary; MSAL's default.
  case ifNecessary = ""
  /// Choose one of the accounts that are signed in in the browser.
  case selectAccount = "select_account"
  /// Enter the password again.
  case login
  /// Consent again.
  case consent
  /// Create an account.
  case create
}
