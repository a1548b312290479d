internal import TokenVaultCOpenSSL

/// Hashes of data that is not secret.
package enum Digest {
  /// The SHA-256 digest of `bytes` (FIPS 180-4), 32 bytes.
  package static func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    let algorithm = unsafe try OpenSSL.sha256()
    var digest = [UInt8](repeating: 0, count: 32)
    try OpenSSL.check(
      unsafe EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil) == 1)
    return digest
  }
}
