/// The next step after a call was read.
package enum HelperStep: Sendable {
  /// The call is answered without the vault.
  case answered(HelperAnswer)
  /// The vault is asked, and the function makes the answer of its outcome.
  case asks(CredentialRequest, @Sendable (CredentialOutcome) -> HelperAnswer)
}
