internal import TokenVaultCOpenSSL

/// Keys made out of other secrets.
public enum KeyDerivation {
  /// What scrypt may use; N = 2^20 with r = 8 fits. Parameters come from files, and a forged file
  /// must not be able to ask for all memory there is.
  private static let scryptMemory = 1 << 30 + 1 << 21

  /// HKDF-SHA-256 (RFC 5869): `count` bytes, 1 to 8,160, out of a `key` that is already uniform.
  ///
  /// The salt and the info may be empty; the info has at most 1,024 bytes, the key at least one.
  public static func hkdfSHA256(
    _ key: borrowing SecretBytes, salt: [UInt8], info: [UInt8], count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard key.count > 0, info.count <= 1024, (1...255 * 32).contains(count) else {
      throw .badParameters
    }
    let context = unsafe try OpenSSL.found(EVP_KDF_CTX_new(OpenSSL.hkdf()))
    defer { unsafe EVP_KDF_CTX_free(context) }
    var derived = try SecretBytes(count: count)
    let status = unsafe derived.withUnsafeMutableBytes { output in
      unsafe key.withUnsafeBytes { key in
        unsafe salt.withUnsafeBytes { salt in
          unsafe info.withUnsafeBytes { info in
            unsafe EVP_KDF_derive(
              context, output.assumingMemoryBound(to: UInt8.self).baseAddress, output.count,
              [
                .sha256Digest(), .octets("key", key), .octets("salt", salt),
                .octets("info", info), .end(),
              ])
          }
        }
      }
    }
    try OpenSSL.check(status == 1)
    return derived
  }

  /// scrypt (RFC 7914) with N = 2^`logN`: `count` bytes out of what a person remembers.
  ///
  /// Blocks the thread, for half a second at `logN` 17, r 8, p 1, and uses 128·r·(N + p) bytes
  /// meanwhile. Throws `badParameters` above 1 GiB of that, or p above 16.
  public static func scrypt(
    _ passphrase: borrowing SecretBytes, salt: [UInt8], logN: Int, r: Int, p: Int, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard
      (1...20).contains(logN), (1...1024).contains(r), (1...16).contains(p),
      128 * r * (1 << logN + p + 2) <= scryptMemory, (1...1 << 20).contains(count)
    else { throw .badParameters }
    try OpenSSL.requireReady()
    var derived = try SecretBytes(count: count)
    let status = unsafe derived.withUnsafeMutableBytes { output in
      unsafe passphrase.withUnsafeBytes { passphrase in
        unsafe EVP_PBE_scrypt(
          passphrase.assumingMemoryBound(to: CChar.self).baseAddress, passphrase.count,
          salt, salt.count, 1 << UInt64(logN), UInt64(r), UInt64(p), UInt64(scryptMemory),
          output.assumingMemoryBound(to: UInt8.self).baseAddress, output.count)
      }
    }
    try OpenSSL.check(status == 1)
    return derived
  }
}
