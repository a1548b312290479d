import TokenVaultCrypto

extension SecretBytes {
  /// A copy in ordinary memory, which is acceptable for test data.
  borrowing func copied() -> [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }

  borrowing func startAddress() -> UInt {
    unsafe withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}
