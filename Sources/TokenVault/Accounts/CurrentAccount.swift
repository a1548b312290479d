public import TokenVaultModel

/// The current account for one client, with the account last returned to that client.
public struct CurrentAccount: Sendable {
  /// The account to use; nil if none is signed in.
  public let account: Account?
  /// The account last returned to the client; nil if there was none. It may equal `account`:
  /// compare the two.
  public let previous: PreviousAccount?

  /// An account that was the current one before.
  public enum PreviousAccount: Sendable {
    /// The account is still in the group.
    case present(Account)
    /// The account was signed out on a shared device. Its name is reported once.
    case left(homeAccountID: HomeAccountID, username: String, environment: String)
    /// The account was erased together with its name.
    case erased
  }
}
