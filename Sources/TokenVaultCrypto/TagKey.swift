internal import TokenVaultCOpenSSL

/// An HMAC-SHA-256 key (RFC 2104). It hashes the key once and keeps the state, so a tag is cheap.
///
/// Not `Sendable`: use it from one thread. OpenSSL keeps the state in ordinary memory and wipes it
/// when the key is released.
@safe package final class TagKey {
  private let context: OpaquePointer

  /// Creates a tag key from a key of any length; 32 bytes are enough.
  package init(_ key: borrowing SecretBytes) throws(CryptoError) {
    unsafe context = try OpenSSL.found(EVP_MAC_CTX_new(OpenSSL.hmac()))
    let isKeyed = unsafe key.withUnsafeBytes { key in
      unsafe EVP_MAC_init(
        context, key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count,
        [.sha256Digest(), .end()])
    }
    try OpenSSL.check(isKeyed == 1)
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// Returns the tag of `message`, 32 bytes.
  package func tag(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: 32)
    var length = 0
    try OpenSSL.check(
      // Without a key, this resets the context to the state that already contains the key.
      unsafe EVP_MAC_init(context, nil, 0, nil) == 1
        && EVP_MAC_update(context, message, message.count) == 1
        && EVP_MAC_final(context, &tag, &length, tag.count) == 1 && length == tag.count)
    return tag
  }
}
