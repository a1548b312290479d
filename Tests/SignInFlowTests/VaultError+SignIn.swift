import TokenVault
import TokenVaultSignIn

extension VaultError {
  var signIn: SignInError? { if case .signIn(let error) = self { error } else { nil } }
  var reason: InteractionReason? {
    if case .interactionRequired(let reason, _, _) = self { reason } else { nil }
  }
  /// The provider's error if it requires interaction.
  var refusal: OAuthError? { if case .refused(let error)? = reason { error } else { nil } }
}
