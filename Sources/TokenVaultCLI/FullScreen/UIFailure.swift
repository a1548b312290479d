import Dispatch
import Synchronization
import TokenVault
import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// The text of a failed order.
struct UIFailure: Hashable, Sendable {
  var message: String
  var next: String?
  var needsSignIn = false
  var isCancellation = false
}

extension UIFailure {
  init(_ error: any Error) {
    let failure = Failure(error)
    self.init(
      message: failure.message, next: failure.next,
      needsSignIn: failure.status == .signInNeeded,
      isCancellation: failure.status == .interrupted)
  }
}
