import TokenVault
import TokenVaultSignIn

extension VaultError {
  var signIn: SignInError? { if case .signIn(let error) = self { error } else { nil } }
  var reason: InteractionReason? {
    if case .interactionRequired(let reason, _, _) = self { reason } else { nil }
  }
  /// What the provider said when it wanted the user.
  var refusal: OAuthError? { if case .refused(let error)? = reason { error } else { nil } }
}
