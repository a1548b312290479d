package import TokenVaultCrypto

/// Derives key-encryption keys from a file of random bytes, for example a systemd credential.
package struct KeyFileCustodian: DerivingKeyCustodian {
  /// The file's content has full entropy.
  package static let newSlotCost: KeySlotParameters.Cost? = nil

  private static let info = Array("tokenvault key file".utf8)
  private static let sizes = 32...4096

  /// The file's path.
  package let path: String

  /// A custodian for the file at `path`, which is read for each key.
  package init(path: String) { self.path = path }

  /// The 32 bytes of HKDF-SHA-256 over the file's content and the slot's salt.
  ///
  /// The file is refused unless it is a regular file of 32 to 4,096 bytes that belongs to the user
  /// or root and that no one else may read or write.
  package func key(_ slot: KeySlotParameters) throws(CustodyError) -> SecretBytes {
    let content = try SecretFile(path: path).content(sizes: Self.sizes)
    return try crypto(content) { (content) throws(CryptoError) in
      try KeyDerivation.hkdfSHA256(
        content, salt: slot.salt, info: Self.info, count: groupKeySize)
    }
  }

  /// The size of a file that ``create(path:)`` makes.
  package static let createdSize = 43

  /// Creates a key file of 32 random bytes in base64url, readable by its owner only.
  ///
  /// It is complete or not there, whenever the process is killed. Throws `keyFileUnreadable` with
  /// `EEXIST` when the path exists: no key is overwritten.
  package static func create(path: String) throws(CustodyError) {
    let text = try crypto { () throws(CryptoError) in
      try Base64URL.encodeSecret(SecretBytes.random(count: groupKeySize))
    }
    // A group is made next, and its file must not survive a power cut that loses its key.
    try SecretFile(path: path).create(text, removingLeftovers: false)
  }
}
