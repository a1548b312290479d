public import TokenVaultModel

/// The result of an import.
public struct ImportReport: Sendable {
  /// The accounts that the group did not have before.
  public internal(set) var added: [Account] = []
  /// The accounts of the group that received something newer.
  public internal(set) var updated: [Account] = []
  /// The accounts of the group that already had everything in the cache.
  public internal(set) var unchanged: [Account] = []
  /// The number of credentials that were stored.
  public internal(set) var credentials = 0
  /// The number of credentials that were not stored, because the group has newer ones.
  public internal(set) var olderCredentials = 0
  /// Whether the group was created for the import.
  public internal(set) var madeGroup = false
  /// Whether the cache had neither an account nor a credential.
  package var isEmpty: Bool {
    added.isEmpty && updated.isEmpty && unchanged.isEmpty && credentials + olderCredentials == 0
  }
}
