/// The result of a renewal that took effect.
package struct RenewalReport: Sendable {
  /// The reason why the former key may still exist somewhere; nil if it is gone.
  package var left: VaultError?
  /// Whether a recovery code became invalid.
  package var hadRecoveryCode = false
  /// Whether the new passphrase is the former one.
  package var keepsPassphrase = false
  /// The key file that has new content; nil if none has.
  package var replacedKeyFile: String?
  /// The number of accounts that did not open before, and do not open now.
  package var unreadable = 0
  /// The number of credentials of other accounts that did not open before, and do not open now.
  package var unreadableCredentials = 0
  /// False while another process reads an older snapshot, which the file contains until then.
  package var logIsEmpty = true
}
