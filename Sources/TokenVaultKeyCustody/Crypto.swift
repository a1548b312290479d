internal import TokenVaultCrypto

/// Runs a cryptographic operation and reduces its error to ``CustodyError/crypto``.
func crypto<Result: ~Copyable>(
  _ operation: () throws(CryptoError) -> Result
) throws(CustodyError) -> Result {
  do throws(CryptoError) { return try operation() } catch { throw .crypto }
}

/// The same with a borrowed secret, which a closure cannot capture.
func crypto<Result: ~Copyable>(
  _ secret: borrowing SecretBytes,
  _ operation: (borrowing SecretBytes) throws(CryptoError) -> Result
) throws(CustodyError) -> Result {
  do throws(CryptoError) { return try operation(secret) } catch { throw .crypto }
}
