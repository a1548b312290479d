import Foundation
import TokenVaultCrypto

/// An RSA key that signs tokens, and its public key as a JWK (RFC 7517).
///
/// Signing, verifying and hashing come from TokenVaultCrypto, which is OpenSSL and is tested with
/// published vectors. A second crypto library would add more than a minute to every build. The
/// provider has its own parsers and its own base64url, JSON, JWT and JWK code.
struct SigningPair {
  let id: String
  let key: SigningKey
  let modulus: String
  let exponent: String
  var isPublished = true

  init() throws {
    id = RandomText.base64URL(byteCount: 12)
    key = try SigningKey.generate()
    let numbers = try key.publicJWK
    // TokenVaultCrypto wrote them as base64url; what is published is the provider's own encoding.
    guard let modulus = Data(base64URL: numbers.n), let exponent = Data(base64URL: numbers.e) else {
      throw Failure.broken
    }
    (self.modulus, self.exponent) = (modulus.base64URL, exponent.base64URL)
  }

  /// A compact JWS (RFC 7515 section 3.1) with this header.
  func token(header: JSON, claims: JSON) throws -> String {
    let input = Self.signingInput(header, claims)
    return input + "." + (try key.sign(Array(input.utf8))).base64URL
  }

  /// Whether this key made a signature. RS256 is deterministic (RFC 8017 section 8.2), so that
  /// signing again verifies it.
  func hasSigned(_ input: String, signature: String) -> Bool {
    do {
      return try key.sign(Array(input.utf8)).base64URL == signature
    } catch {
      return false
    }
  }

  /// The part of a compact JWS that is signed (RFC 7515 section 5.1).
  static func signingInput(_ header: JSON, _ claims: JSON) -> String {
    header.bytes.base64URL + "." + claims.bytes.base64URL
  }
}
