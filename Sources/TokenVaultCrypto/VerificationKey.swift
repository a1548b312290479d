internal import TokenVaultCOpenSSL

/// A public key, given by the numbers in a JWK (RFC 7518 section 6, RFC 8037 section 2).
package enum VerificationKey: Hashable, Sendable {
  /// The modulus, 2,048 to 8,192 bits, and the exponent, at most 64 bits.
  case rsa(n: [UInt8], e: [UInt8])
  /// A point on the curve; each coordinate has the full size of the curve's field.
  case elliptic(Curve, x: [UInt8], y: [UInt8])
  /// An Ed25519 public key, 32 bytes.
  case ed25519([UInt8])

  /// A curve of RFC 7518 section 6.2.1.1.
  package enum Curve: String, Hashable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    var coordinateSize: Int {
      switch self {
      case .p256: 32
      case .p384: 48
      case .p521: 66
      }
    }

    var groupName: StaticString {
      switch self {
      case .p256: "P-256"
      case .p384: "P-384"
      case .p521: "P-521"
      }
    }
  }

  /// Whether the key has the type, and the curve, that the algorithm requires.
  package func fits(_ algorithm: SignatureAlgorithm) -> Bool {
    switch (self, algorithm) {
    case (.rsa, .rs256), (.rsa, .rs384), (.rsa, .rs512),
      (.rsa, .ps256), (.rsa, .ps384), (.rsa, .ps512),
      (.elliptic(.p256, _, _), .es256), (.elliptic(.p384, _, _), .es384),
      (.elliptic(.p521, _, _), .es512), (.ed25519, .edDSA):
      true
    default: false
    }
  }

  /// Whether `signature`, in JWS form, is valid for `message` under this key.
  /// - Throws: `badParameters` if the key does not fit the algorithm, is too weak, or is not a
  ///   valid key.
  package func verifies(
    _ signature: [UInt8], of message: [UInt8], by algorithm: SignatureAlgorithm
  ) throws(CryptoError) -> Bool {
    guard fits(algorithm) else { throw .badParameters }
    try OpenSSL.requireReady()
    let key = unsafe try publicKey()
    defer { unsafe EVP_PKEY_free(key) }
    guard let signature = inOpenSSLForm(signature) else { return false }
    let context = unsafe try OpenSSL.found(EVP_MD_CTX_new())
    defer { unsafe EVP_MD_CTX_free(context) }
    let digest = algorithm == .edDSA ? nil : algorithm.digestName
    var options: OpaquePointer?
    // RFC 7518 section 3.5: MGF1 with the same hash, which is OpenSSL's default, and a salt as long
    // as the hash.
    try OpenSSL.check(
      unsafe EVP_DigestVerifyInit_ex(context, &options, digest, nil, nil, key, nil) == 1
        && (!algorithm.isPSS
          || EVP_PKEY_CTX_set_rsa_padding(options, RSA_PKCS1_PSS_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(options, RSA_PSS_SALTLEN_DIGEST) == 1)
    )
    let result = unsafe EVP_DigestVerify(
      context, signature, signature.count, message, message.count)
    if result != 1 { ERR_clear_error() }
    return result == 1
  }

  private func publicKey() throws(CryptoError) -> OpaquePointer {
    let made: OpaquePointer?
    switch self {
    case .rsa(let n, let e):
      unsafe made = Self.rsaKey(n, e)
    case .elliptic(let curve, let x, let y):
      guard x.count == curve.coordinateSize, y.count == x.count else { throw .badParameters }
      // SEC 1 section 2.3.3: an uncompressed point. OpenSSL rejects points that are not on the
      // curve.
      unsafe made = ([4] + x + y).withUnsafeBytes { point in
        unsafe Self.key(
          "EC",
          [
            .text("group", curve.groupName),
            .octets("pub", point), .end(),
          ])
      }
    case .ed25519(let point):
      guard point.count == 32 else { throw .badParameters }
      unsafe made = EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, point, point.count)
    }
    guard let key = unsafe made else {
      ERR_clear_error()
      throw .badParameters
    }
    return unsafe key
  }

  private static func rsaKey(_ n: [UInt8], _ e: [UInt8]) -> OpaquePointer? {
    // The limits keep a hostile key from taking seconds. With an exponent of 1, anyone could forge
    // a signature.
    guard n.count <= 1025, (1...8).contains(e.count), let low = e.last, low & 1 == 1,
      e.dropLast().contains(where: { $0 != 0 }) || low > 1
    else { return nil }
    var (n, e) = (inMachineOrder(n), inMachineOrder(e))
    let made = unsafe n.withUnsafeMutableBufferPointer { n in
      unsafe e.withUnsafeMutableBufferPointer { e in
        unsafe key("RSA", [.number("n", n), .number("e", e), .end()])
      }
    }
    guard let made = unsafe made else { return nil }
    guard unsafe (2048...8192).contains(EVP_PKEY_get_bits(made)) else {
      unsafe EVP_PKEY_free(made)
      return nil
    }
    return unsafe made
  }

  private static func inMachineOrder(_ number: [UInt8]) -> [UInt8] {
    1.littleEndian == 1 ? number.reversed() : number
  }

  private static func key(_ kind: String, _ parameters: [OSSL_PARAM]) -> OpaquePointer? {
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, kind, nil) else { return nil }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    var (key, parameters): (OpaquePointer?, [OSSL_PARAM]) = unsafe (nil, parameters)
    guard unsafe EVP_PKEY_fromdata_init(context) == 1,
      unsafe EVP_PKEY_fromdata(context, &key, tv_public_key, &parameters) == 1
    else { return nil }
    return unsafe key
  }

  /// RFC 7518 section 3.4 concatenates r and s, each in the size of the curve; OpenSSL expects a
  /// DER sequence. Returns nil if the signature has another size.
  private func inOpenSSLForm(_ signature: [UInt8]) -> [UInt8]? {
    guard case .elliptic(let curve, _, _) = self else { return signature }
    guard signature.count == 2 * curve.coordinateSize else { return nil }
    let content =
      Self.derInteger(signature.prefix(curve.coordinateSize))
      + Self.derInteger(signature.suffix(curve.coordinateSize))
    let length = content.count < 0x80 ? [UInt8(content.count)] : [0x81, UInt8(content.count)]
    return [0x30] + length + content
  }

  private static func derInteger(_ number: ArraySlice<UInt8>) -> [UInt8] {
    let digits = number.drop { $0 == 0 }
    // DER integers are signed: a leading 1 bit needs a zero byte before it.
    let content = (digits.first.map { $0 < 0x80 } ?? false) ? Array(digits) : [0] + digits
    return [0x02, UInt8(content.count)] + content
  }
}
