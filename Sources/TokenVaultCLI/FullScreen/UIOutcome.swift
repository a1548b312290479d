import TokenVaultSignIn
import TokenVault
import TokenVaultModel

/// The result of an order.
enum UIOutcome: Sendable {
  /// A line for the log, and a page to show.
  case done(String, TextPage?)
  case failed(UIFailure)
  /// The user must choose one of these.
  case scopesNeeded([String])
  case clientNeeded([String])
  /// There is a secret to replace, in these words; the user must confirm it.
  case replaces(String)
}
