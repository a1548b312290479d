import TokenVaultCrypto
import TokenVaultModel

/// A JWS in compact form (RFC 7515 section 7.1), parsed but not verified.
struct SignedToken {
  let algorithm: SignatureAlgorithm
  let keyID: String?
  let claims: IDToken
  private let signed: [UInt8]
  private let signature: [UInt8]

  init(_ token: String) throws(SignInError) {
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    // RFC 7515 section 2 forbids padding; only tokens from a cache may have it.
    guard !token.utf8.contains(UInt8(ascii: "=")), let claims = IDToken(token), parts.count == 3,
      let header = Self.decode(parts[0]).flatMap(JSONValue.object(in:)),
      let name = header["alg"]?.text,
      let signature = Self.decode(parts[2]), header["kid"].map({ $0.text != nil }) ?? true
    else { throw .idToken(.notAToken) }
    // RFC 7515 section 4.1.11: a token with an unknown critical header is invalid.
    guard header["crit"] == nil else { throw .idToken(.notAToken) }
    guard let algorithm = SignatureAlgorithm(rawValue: name) else { throw .idToken(.algorithm) }
    self.algorithm = algorithm
    keyID = header["kid"]?.text
    self.claims = claims
    signed = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
    self.signature = signature
  }

  /// Verifies the signature with the keys that may have made it.
  func verify(_ keys: JWKSet) throws(SignInError) {
    // A key inside the token itself (jwk, jku, x5c) may be a forger's, and is never used.
    let candidates = keys.keys(
      named: keyID, for: algorithm, issuedBy: claims.issuer, tenant: claims.tenantID)
    var fault = SignInError.IDTokenFault.key
    for key in candidates {
      do {
        if try key.verifies(signature, of: signed, by: algorithm) { return }
        fault = .signature
      } catch .badParameters {
        // A weak or malformed key; another one with the same id may fit.
      } catch { fault = .signature }
    }
    throw .idToken(fault)
  }

  private static func decode(_ part: Substring.UTF8View) -> [UInt8]? {
    Base64URL.decode(String(Substring(part)))
  }
}
