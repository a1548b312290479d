import TokenVaultCrypto

extension SecretBytes {
  /// The bytes in ordinary memory, which is fine for a test's own secrets.
  borrowing func copied() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }

  borrowing func startAddress() -> UInt {
    unsafe withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}
