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
    /// The account was signed out on a shared device, after this vault had returned it. The vault
    /// has its name in memory and reports it once.
    case left(homeAccountID: HomeAccountID, username: String, environment: String)
    /// The account was signed out. The group keeps nothing of it, so its name is not known.
    case erased
  }
}
