import TokenVault
import TokenVaultModel

/// An error as the user sees it: one sentence, the exit status, and the one command to run next.
///
/// `Failure+X.swift` holds the text for each error of the type `X`. The switches there have no
/// default, so a new error does not compile until it has a text and an exit status.
struct Failure: Error {
  let status: ExitStatus
  /// Empty if everything has been printed already.
  let message: String
  /// The next command, or an instruction that contains it.
  let next: String?

  init(_ status: ExitStatus, _ message: String, next: String? = nil) {
    self.status = status
    self.message = message
    self.next = next
  }

  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as CommandError: self.init(error)
    case let error as VaultError: self.init(error)
    default:
      self.init(.unexpected, "An unexpected error occurred (\(type(of: error))).")
    }
  }

  /// The same failure, with the group's name in front unless the message contains it.
  func of(_ group: GroupName) -> Failure {
    message.contains(group.description)
      ? self : Failure(status, "\(group): \(message)", next: next)
  }
}
