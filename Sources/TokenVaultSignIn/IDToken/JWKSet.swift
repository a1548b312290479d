package import TokenVaultCrypto
import TokenVaultModel

/// A provider's JWK set (RFC 7517 section 5): the keys that can verify ID tokens.
package struct JWKSet: Hashable, Sendable {
  /// The size limit of a document, in bytes. Microsoft's, with its certificates, has 30,000.
  package static let sizeLimit = 256 << 10
  /// The number of keys that are read from a document.
  package static let keyLimit = 128

  private struct Entry: Hashable {
    var id: String?
    var algorithm: String?
    /// Microsoft's extension: the issuer that may sign with the key; a template like the
    /// provider's.
    var issuer: String?
    var key: VerificationKey
  }
  private let entries: [Entry]

  /// Parses a document. Malformed keys and keys of an unknown kind or for another use are ignored
  /// (RFC 7517 section 5). Of two keys with the same id, both are kept.
  /// - Throws: ``SignInError/IDTokenFault/keysUnavailable`` if it is not a JWK set.
  package init(_ document: [UInt8]) throws(SignInError) {
    guard document.count <= Self.sizeLimit, let keys = Self.keys(document) else {
      throw .idToken(.keysUnavailable)
    }
    entries = keys.prefix(Self.keyLimit).compactMap(Self.entry)
  }

  /// The keys that may have made a signature with this algorithm: those with the id, or any if the
  /// signature names none.
  package func keys(
    named id: String?, for algorithm: SignatureAlgorithm, issuedBy issuer: String?,
    tenant: String?
  ) -> [VerificationKey] {
    entries.filter { entry in
      (id == nil || entry.id == id)
        && (entry.algorithm == nil || entry.algorithm == algorithm.rawValue)
        && entry.key.fits(algorithm)
        && (entry.issuer.map { IssuerRule($0).allows(issuer, tenant: tenant) } ?? true)
    }.map(\.key)
  }

  private static func keys(_ document: [UInt8]) -> [JSONValue]? {
    do { return try JSONValue(parsing: document)["keys"]?.elements } catch { return nil }
  }

  private static func entry(_ jwk: JSONValue) -> Entry? {
    // RFC 7517 sections 4.2 and 4.3: an encryption key must not verify signatures.
    guard jwk["use"].map({ $0.text == "sig" }) ?? true,
      jwk["key_ops"].map({ $0.elements?.contains(.string("verify")) == true }) ?? true,
      jwk["kid"].map({ $0.text != nil }) ?? true, jwk["alg"].map({ $0.text != nil }) ?? true,
      let key = key(jwk)
    else { return nil }
    return Entry(
      id: jwk["kid"]?.text, algorithm: jwk["alg"]?.text, issuer: jwk["issuer"]?.text, key: key)
  }

  private static func key(_ jwk: JSONValue) -> VerificationKey? {
    func number(_ name: String) -> [UInt8]? { jwk[name]?.text.flatMap(Base64URL.decode) }
    switch jwk["kty"]?.text {
    case "RSA":
      guard let n = number("n"), let e = number("e") else { return nil }
      return .rsa(n: n, e: e)
    case "EC":
      guard let curve = jwk["crv"]?.text.flatMap(VerificationKey.Curve.init(rawValue:)),
        let x = number("x"), let y = number("y")
      else { return nil }
      return .elliptic(curve, x: x, y: y)
    case "OKP":
      guard jwk["crv"]?.text == "Ed25519", let x = number("x") else { return nil }
      return .ed25519(x)
    default: return nil
    }
  }
}
