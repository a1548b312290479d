public import TokenVaultCrypto

/// Derives a key-encryption key, which opens the key slot in the group file, from a passphrase.
public enum PassphraseCustody {
  /// What a new group is made with: half a second and 128 MiB.
  public static let logN = 17
  /// See ``logN``.
  public static let r = 8
  /// See ``logN``.
  public static let p = 1

  /// The 32 bytes of scrypt (RFC 7914) with N = 2^`logN`. Blocks.
  ///
  /// Throws `passphraseRequired` for an empty passphrase and `crypto` for parameters that are
  /// weaker than a new group's (a changed file must not make guessing cheap) or that would take
  /// more than 1 GiB.
  public static func keyEncryptionKey(
    passphrase: borrowing SecretBytes, salt: [UInt8], logN: Int, r: Int, p: Int
  ) throws(CustodyError) -> SecretBytes {
    guard passphrase.count > 0 else { throw .passphraseRequired }
    guard (self.logN...22).contains(logN), r >= self.r, p >= self.p else { throw .crypto }
    return try crypto(passphrase) { (passphrase) throws(CryptoError) in
      try KeyDerivation.scrypt(
        passphrase, salt: salt, logN: logN, r: r, p: p, count: groupKeySize)
    }
  }
}
