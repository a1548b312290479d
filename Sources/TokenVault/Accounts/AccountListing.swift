import TokenVaultGroupStore
public import TokenVaultModel

/// The accounts of a group, or why there are none.
public struct AccountListing: Sendable {
  /// The accounts that fulfil the query, by user name, then identifier, then environment.
  public let accounts: [Account]
  /// Why `accounts` is empty; nil when it is not.
  public let emptyReason: EmptyReason?
  /// The number of accounts whose rows do not open. They are in no answer, and nothing of them was
  /// deleted.
  public let damagedRows: Int
}
