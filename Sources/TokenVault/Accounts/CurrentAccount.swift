public import TokenVaultModel

/// The current account for one client, with the account last returned to that client.
public struct CurrentAccount: Sendable {
  /// The account to use; nil when none is signed in.
  public let account: Account?
  /// The account last returned to the client. It may be the same one: compare.
  public let previous: PreviousAccount?

  /// An account that was current before.
  public enum PreviousAccount: Sendable {
    /// It is still in the group.
    case present(Account)
    /// A shared device signed it out. Its name is reported once.
    case left(homeAccountID: HomeAccountID, username: String, environment: String)
    /// It was erased, with its name.
    case erased
  }
}
