internal import TokenVaultCOpenSSL

/// A 2,048-bit RSA key pair that signs with RS256 (RFC 7518, section 3.3).
///
/// Threads may share a key. OpenSSL keeps the private numbers in ordinary memory and wipes them
/// when the key is released; `der()` exports them as `SecretBytes`.
@safe package final class SigningKey: Sendable {
  private static let size: Int32 = 2048
  /// In bytes. The PKCS#8 encoding of a 16,384-bit key, the largest that OpenSSL accepts, is
  /// smaller.
  private static let largestDER = 16 << 10

  // Safe to share: OpenSSL counts references to a key atomically and locks the values it caches in
  // it.
  private nonisolated(unsafe) let key: OpaquePointer

  private init(owning key: OpaquePointer) { unsafe self.key = key }

  deinit { unsafe EVP_PKEY_free(key) }

  /// Generates a key, which takes about 0.1 s of processor time.
  package static func generate() throws(CryptoError) -> SigningKey {
    try OpenSSL.requireReady()
    let context = unsafe try OpenSSL.found(EVP_PKEY_CTX_new_from_name(nil, "RSA", nil))
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    try OpenSSL.check(
      unsafe EVP_PKEY_keygen_init(context) == 1
        && EVP_PKEY_CTX_set_rsa_keygen_bits(context, size) == 1
        && EVP_PKEY_generate(context, &key) == 1)
    return unsafe SigningKey(owning: try OpenSSL.found(key))
  }

  /// Imports a key that `der()` exported.
  /// - Throws: `badParameters` unless `der` is exactly one PKCS#8 RSA key of at least 2,048 bits.
  package init(der: borrowing SecretBytes) throws(CryptoError) {
    try OpenSSL.requireReady()
    guard (1...Self.largestDER).contains(der.count) else { throw .badParameters }
    let parsed = unsafe der.withUnsafeBytes { der -> OpaquePointer? in
      let start = unsafe der.assumingMemoryBound(to: UInt8.self).baseAddress
      var next = unsafe start
      guard let info = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &next, der.count) else { return nil }
      defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
      guard let start = unsafe start, unsafe next == start + der.count else { return nil }
      return unsafe EVP_PKCS82PKEY_ex(info, nil, nil)
    }
    guard let parsed = unsafe parsed else {
      ERR_clear_error()
      throw .badParameters
    }
    unsafe key = parsed
    guard unsafe EVP_PKEY_is_a(key, "RSA") == 1, unsafe EVP_PKEY_get_bits(key) >= Self.size else {
      throw .badParameters
    }
  }

  /// Exports the key as unencrypted PKCS#8 (RFC 5208) in DER, in locked memory.
  package func der() throws(CryptoError) -> SecretBytes {
    let info = unsafe try OpenSSL.found(EVP_PKEY2PKCS8(key))
    defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
    let count = unsafe i2d_PKCS8_PRIV_KEY_INFO(info, nil)
    try OpenSSL.check(count > 0)
    return unsafe try SecretBytes(count: Int(count)) { (buffer) throws(CryptoError) in
      var next = unsafe buffer.assumingMemoryBound(to: UInt8.self).baseAddress
      try OpenSSL.check(unsafe i2d_PKCS8_PRIV_KEY_INFO(info, &next) == count)
    }
  }

  /// The members `n` and `e` of the public key's JWK: base64url without leading zero bytes (RFC
  /// 7518, section 6.3.1).
  package var publicJWK: (n: String, e: String) {
    get throws(CryptoError) {
      (Base64URL.encode(try number("n")), Base64URL.encode(try number("e")))
    }
  }

  /// Signs `bytes` with RS256 (RSASSA-PKCS1-v1_5 with SHA-256). The signature has 256 bytes.
  package func sign(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    let context = unsafe try OpenSSL.found(EVP_MD_CTX_new())
    defer { unsafe EVP_MD_CTX_free(context) }
    var signature = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key)))
    var count = signature.count
    try OpenSSL.check(
      unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, key, nil) == 1
        && EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1
        && count == signature.count)
    return signature
  }

  private func number(_ name: String) throws(CryptoError) -> [UInt8] {
    var value: OpaquePointer?
    try OpenSSL.check(unsafe EVP_PKEY_get_bn_param(key, name, &value) == 1)
    let number = unsafe try OpenSSL.found(value)
    defer { unsafe BN_free(number) }
    var bytes = [UInt8](repeating: 0, count: (Int(unsafe BN_num_bits(number)) + 7) / 8)
    try OpenSSL.check(Int(unsafe BN_bn2bin(number, &bytes)) == bytes.count)
    return bytes
  }
}
