internal import TokenVaultCOpenSSL

/// Hashes of what is not secret.
public enum Digest {
  /// The 32 bytes of SHA-256 (FIPS 180-4).
  public static func sha256(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    let algorithm = unsafe try OpenSSL.sha256()
    var digest = [UInt8](repeating: 0, count: 32)
    try OpenSSL.check(
      unsafe EVP_Digest(bytes, bytes.count, &digest, nil, algorithm, nil) == 1)
    return digest
  }
}
