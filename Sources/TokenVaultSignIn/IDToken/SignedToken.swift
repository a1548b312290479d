import TokenVaultCrypto
import TokenVaultModel

/// A JWS in compact form (RFC 7515 section 7.1), taken apart but not verified.
struct SignedToken {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let claims: IDToken
  private let signed: [UInt8]
  private let signature: [UInt8]

  init(_ token: String) throws(SignInError) {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // The padding that a cached token may have is none of RFC 7515.
    guard !token.utf8.contains(UInt8(ascii: "=")), let claims = IDToken(token), parts.count == 3,
      let header = Self.object(parts[0]), let name = header["alg"]?.text,
      let signature = Self.decode(parts[2]), header["kid"].map({ $0.text != nil }) ?? true
    else { throw .idToken(.notAToken) }
    // RFC 7515 section 4.1.11: what has to be understood, and is not, makes the token invalid.
    guard header["crit"] == nil else { throw .idToken(.notAToken) }
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .idToken(.algorithm) }
    self.algorithm = algorithm
    keyID = header["kid"]?.text
    self.claims = claims
    signed = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
    self.signature = signature
  }

  /// Verifies with the one of the keys that made the signature.
  func verify(_ keys: JWKSet) throws(SignInError) {
    // A key that the token itself brings (jwk, jku, x5c) is the forger's.
    let candidates = keys.keys(
      named: keyID, for: algorithm, issuedBy: claims.issuer, tenant: claims.tenantID)
    var fault = SignInError.IDTokenFault.key
    for key in candidates {
      do {
        if try key.verifies(signature, of: signed, by: algorithm) { return }
        fault = .signature
      } catch .badParameters {
        // A weak key, or none; another of the same name may do.
      } catch { fault = .signature }
    }
    throw .idToken(fault)
  }

  private static func decode(_ part: Substring.UTF8View) -> [UInt8]? {
    Base64URL.decode(String(Substring(part)))
  }

  private static func object(_ part: Substring.UTF8View) -> JSONValue? {
    guard let bytes = decode(part) else { return nil }
    do {
      let value = try JSONValue(parsing: bytes)
      return value.members == nil ? nil : value
    } catch { return nil }
  }
}
