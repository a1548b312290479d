package import TokenVaultCrypto

/// A custody that a group's header can name: it retrieves what opens the group's file.
///
/// There are two kinds. A ``StoringKeyCustodian`` keeps the group's key itself, in a place outside
/// of the file. A ``DerivingKeyCustodian`` derives a key-encryption key from a secret of the user's;
/// it opens the key slot in the file, which holds the group's key sealed.
///
/// Every custodian keeps these rules, and `KeyCustodianContractTests` checks each of them:
/// - The same reference gives the same 32 bytes until the key is deleted or the secret changes.
/// - Each state in which it fails is an error of its own. A place that is locked, gone or unsafe is
///   never reported as a missing key.
/// - Retrieving writes nothing: a missing key or file stays missing, for a new key would make an
///   existing group file unreadable.
/// - A wrong or damaged secret never gives the right key.
/// - Every call blocks, and returns within a deadline unless the user is asked.
///
/// CONTRIBUTING.md lists the steps of adding a custodian.
package protocol KeyCustodian: Sendable {
  /// Identifies the key to retrieve.
  associatedtype Reference: Hashable, Sendable

  /// Retrieves a key of 32 bytes.
  func key(_ reference: Reference) throws(CustodyError) -> SecretBytes
}
