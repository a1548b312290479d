internal import TokenVaultCOpenSSL

/// The algorithms of libcrypto. Each is fetched once per process, because fetching an algorithm
/// costs more than using it.
enum OpenSSL {
  private static let isReady = tv_prepare_libcrypto() == 1

  private nonisolated(unsafe) static let fetchedAES =
    unsafe isReady
    ? tv_aes_256_gcm() ?? EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) : nil
  private nonisolated(unsafe) static let fetchedHMAC =
    unsafe isReady
    ? EVP_MAC_fetch(nil, "HMAC", nil) : nil
  private nonisolated(unsafe) static let fetchedHKDF =
    unsafe isReady
    ? EVP_KDF_fetch(nil, "HKDF", nil) : nil
  private nonisolated(unsafe) static let fetchedSHA256 =
    unsafe isReady
    ? EVP_MD_fetch(nil, "SHA256", nil) : nil

  static func aes256GCM() throws(CryptoError) -> OpaquePointer { unsafe try found(fetchedAES) }
  static func hmac() throws(CryptoError) -> OpaquePointer { unsafe try found(fetchedHMAC) }
  static func hkdf() throws(CryptoError) -> OpaquePointer { unsafe try found(fetchedHKDF) }
  static func sha256() throws(CryptoError) -> OpaquePointer { unsafe try found(fetchedSHA256) }

  /// Fetches the algorithms that opening a group needs.
  static func prepare() { unsafe _ = (fetchedAES, fetchedHMAC, fetchedHKDF) }

  static func requireReady() throws(CryptoError) { try check(isReady) }

  /// Throws `failed` if a call failed, and clears the thread's OpenSSL error queue.
  static func check(_ succeeded: Bool) throws(CryptoError) {
    guard succeeded else {
      ERR_clear_error()
      throw .failed
    }
  }

  /// Throws `failed` if a call returned NULL, and clears the thread's OpenSSL error queue.
  static func found(_ pointer: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
    guard let pointer = unsafe pointer else {
      ERR_clear_error()
      throw .failed
    }
    return unsafe pointer
  }
}
