internal import TokenVaultCOpenSSL

/// The public-key signature algorithms of JWS (RFC 7518 section 3.1, RFC 8037).
///
/// `none` proves nothing, and a verifier that accepts the HS family can be tricked into using the
/// public key as a shared secret. Neither is a case, so neither can be used by mistake.
package enum SignatureAlgorithm: String, CaseIterable, Hashable, Sendable {
  case rs256 = "RS256"
  case rs384 = "RS384"
  case rs512 = "RS512"
  case ps256 = "PS256"
  case ps384 = "PS384"
  case ps512 = "PS512"
  case es256 = "ES256"
  case es384 = "ES384"
  case es512 = "ES512"
  /// Ed25519 only.
  case edDSA = "EdDSA"

  /// Hashes `bytes` with the algorithm's hash function; for EdDSA that is SHA-512, the hash that
  /// Ed25519 uses internally.
  package func hash(_ bytes: [UInt8]) throws(CryptoError) -> [UInt8] {
    try OpenSSL.requireReady()
    var digest = [UInt8](repeating: 0, count: 64)
    var count = digest.count
    try OpenSSL.check(
      unsafe EVP_Q_digest(nil, digestName, nil, bytes, bytes.count, &digest, &count) == 1)
    return Array(digest.prefix(count))
  }

  var digestName: String {
    switch self {
    case .rs256, .ps256, .es256: "SHA256"
    case .rs384, .ps384, .es384: "SHA384"
    case .rs512, .ps512, .es512, .edDSA: "SHA512"
    }
  }

  var isPSS: Bool { [.ps256, .ps384, .ps512].contains(self) }
}
