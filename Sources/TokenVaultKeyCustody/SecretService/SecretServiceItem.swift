package import TokenVaultCrypto

/// An item of another program in the Secret Service.
package struct SecretServiceItem: Sendable {
  /// Its object path, by which it is deleted.
  package let path: String
  /// The name that a keyring manager shows.
  package let label: String
  /// The attributes by which its program finds it.
  package let attributes: [String: String]
  package let secret: Redacted<[UInt8]>
}
