internal import COpenSSL

/// The algorithms of libcrypto, each fetched once a process: a fetch costs more than using it.
enum OpenSSL {
  // Reading openssl.cnf and loading names and error texts is most of OpenSSL's start-up time, and
  // a configuration file has no say in how a vault is encrypted.
  private static let isReady =
    OPENSSL_init_crypto(
      UInt64(
        OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS
          | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS
          // Freeing each algorithm at the end of a process that ends anyway takes as long as
          // decrypting a few hundred tokens; secrets are wiped where they are released.
          | OPENSSL_INIT_NO_ATEXIT), nil) == 1

  /// X.509 looks the digests of signatures up by their names, of which `isReady` keeps OpenSSL from
  /// loading any for as long as the process lives: no certificate would be found to be good.
  static let knowsDigests = unsafe [
    EVP_sha1(), EVP_sha224(), EVP_sha256(), EVP_sha384(), EVP_sha512(),
  ].allSatisfy { unsafe EVP_add_digest($0) == 1 }

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

  /// Fetches what opening a group needs.
  static func prepare() { unsafe _ = (fetchedAES, fetchedHMAC, fetchedHKDF) }

  static func requireReady() throws(CryptoError) { try check(isReady) }

  /// Turns a failed call into the one error, leaving nothing in OpenSSL's queue of the thread.
  static func check(_ succeeded: Bool) throws(CryptoError) {
    guard succeeded else {
      ERR_clear_error()
      throw .failed
    }
  }

  static func found(_ pointer: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
    guard let pointer = unsafe pointer else {
      ERR_clear_error()
      throw .failed
    }
    return unsafe pointer
  }
}
