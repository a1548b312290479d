internal import TokenVaultCOpenSSL

/// Random bytes that need not stay secret: nonces, salts, identifiers.
public enum RandomBytes {
  /// `count` fresh bytes; for a key use `SecretBytes.random`.
  public static func make(_ count: Int) throws(CryptoError) -> [UInt8] {
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
