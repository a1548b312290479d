internal import TokenVaultCOpenSSL

/// Comparison that does not tell where two values differ.
public enum ConstantTime {
  /// Whether the bytes are the same, in time that depends on the lengths alone.
  public static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    unsafe a.withUnsafeBytes { a in unsafe b.withUnsafeBytes { unsafe equal(a, $0) } }
  }

  static func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    unsafe a.count == b.count && CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
  }
}
