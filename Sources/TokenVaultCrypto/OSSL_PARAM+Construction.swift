internal import TokenVaultCOpenSSL

// OpenSSL keeps these pointers until the call that takes the parameter list returns. A static
// string lives long enough; a Swift string passed as a C string does not.
extension OSSL_PARAM {
  static func sha256Digest() -> OSSL_PARAM { unsafe text("digest", "SHA256") }

  static func text(_ name: StaticString, _ value: StaticString) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_utf8_string(
      cString(name), UnsafeMutablePointer(mutating: cString(value)), 0)
  }

  /// Borrows `bytes`, a number in native byte order.
  static func number(_ name: StaticString, _ bytes: UnsafeMutableBufferPointer<UInt8>) -> OSSL_PARAM
  {
    unsafe OSSL_PARAM_construct_BN(cString(name), bytes.baseAddress, bytes.count)
  }

  /// Borrows `bytes`. OpenSSL only reads them.
  static func octets(_ name: StaticString, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_octet_string(
      cString(name), UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }

  static func end() -> OSSL_PARAM { unsafe OSSL_PARAM_construct_end() }

  private static func cString(_ text: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
