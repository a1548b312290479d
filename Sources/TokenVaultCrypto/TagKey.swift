internal import TokenVaultCOpenSSL

/// HMAC-SHA-256 (RFC 2104) with the key hashed into the state once, so that a tag is cheap.
///
/// Not `Sendable`: one thread uses it. OpenSSL keeps the state in ordinary memory and wipes it
/// when this is released.
@safe public final class TagKey {
  private let context: OpaquePointer

  /// Takes a key of any length; 32 bytes are enough.
  public init(_ key: borrowing SecretBytes) throws(CryptoError) {
    unsafe context = try OpenSSL.found(EVP_MAC_CTX_new(OpenSSL.hmac()))
    let isKeyed = unsafe key.withUnsafeBytes { key in
      unsafe EVP_MAC_init(
        context, key.assumingMemoryBound(to: UInt8.self).baseAddress, key.count,
        [.sha256Digest(), .end()])
    }
    try OpenSSL.check(isKeyed == 1)
  }

  deinit { unsafe EVP_MAC_CTX_free(context) }

  /// The 32 bytes of the tag of `message`.
  public func tag(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    var tag = [UInt8](repeating: 0, count: 32)
    var length = 0
    try OpenSSL.check(
      // No key: starts again from the state that has the key in it.
      unsafe EVP_MAC_init(context, nil, 0, nil) == 1
        && EVP_MAC_update(context, message, message.count) == 1
        && EVP_MAC_final(context, &tag, &length, tag.count) == 1 && length == tag.count)
    return tag
  }
}
