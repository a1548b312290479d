import TokenVaultGroupStore
public import TokenVaultModel

/// The accounts of a group, or the reason why there are none.
public struct AccountListing: Sendable {
  /// The accounts that match the query, ordered by user name, identifier and environment.
  public let accounts: [Account]
  /// The reason why `accounts` is empty; nil if it is not empty.
  public let emptyReason: EmptyReason?
  /// The number of accounts whose rows cannot be decrypted. They are in no listing, and nothing of
  /// them was deleted.
  public let damagedRows: Int
}
