internal import TokenVaultCOpenSSL

/// Derives keys from other secrets.
package enum KeyDerivation {
  /// The memory limit of scrypt, in bytes; N = 2^20 with r = 8 fits. The parameters come from a
  /// file, and a forged file must not make the process allocate all memory.
  private static let scryptMemory = 1 << 30 + 1 << 21

  /// Derives `count` bytes, 1 to 8,160, from a uniformly random `key` with HKDF-SHA-256 (RFC 5869).
  ///
  /// `salt` and `info` may be empty. `info` has at most 1,024 bytes, `key` at least one.
  /// - Throws: `badParameters` outside these limits.
  package static func hkdfSHA256(
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

  /// Derives `count` bytes from a passphrase with scrypt (RFC 7914), where N = 2^`logN`.
  ///
  /// Blocks the thread, for about half a second at `logN` 17, `r` 8, `p` 1, and uses 128·r·(N + p)
  /// bytes of memory meanwhile.
  /// - Throws: `badParameters` if that exceeds 1 GiB, or if `p` exceeds 16.
  package static func scrypt(
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
