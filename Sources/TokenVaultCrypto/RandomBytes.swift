internal import TokenVaultCOpenSSL

/// Random bytes for values that are not secret: nonces, salts and identifiers.
package enum RandomBytes {
  /// Returns `count` fresh random bytes. For keys, use `SecretBytes.random`.
  /// - Throws: `badParameters` if `count` is negative.
  package static func make(_ count: Int) throws(CryptoError) -> [UInt8] {
    guard count >= 0 else { throw .badParameters }
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe try fill(&bytes, count)
    return bytes
  }

  static func fill(_ start: UnsafeMutablePointer<UInt8>, _ count: Int) throws(CryptoError) {
    guard let length = Int32(exactly: count) else { throw .badParameters }
    try OpenSSL.requireReady()
    try OpenSSL.check(unsafe RAND_bytes(start, length) == 1)
  }
}
