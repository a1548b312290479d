internal import TokenVaultCOpenSSL

/// Comparison whose duration does not reveal where two values differ.
package enum ConstantTime {
  /// Whether `a` and `b` hold the same bytes. The time taken depends only on their lengths.
  package static func equal(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    unsafe a.withUnsafeBytes { a in unsafe b.withUnsafeBytes { unsafe equal(a, $0) } }
  }

  static func equal(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    unsafe a.count == b.count && CRYPTO_memcmp(a.baseAddress, b.baseAddress, a.count) == 0
  }
}
