public import TokenVaultModel

/// What an import brought.
public struct ImportReport: Sendable {
  /// Accounts that were not there before.
  public internal(set) var added: [Account] = []
  /// Accounts that were there and got something newer.
  public internal(set) var updated: [Account] = []
  /// Accounts that were there, with all that the cache has.
  public internal(set) var unchanged: [Account] = []
  /// Credentials that were stored.
  public internal(set) var credentials = 0
  /// Credentials of which the group has a newer one.
  public internal(set) var olderCredentials = 0
  /// Whether the group was made for it.
  public internal(set) var madeGroup = false
}
