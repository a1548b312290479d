package import TokenVaultCrypto
package import TokenVaultModel

/// Access tokens that only the holder of a key can use, as in MSAL for macOS: the provider binds
/// the token to the key, and the client sends it inside a signed HTTP request
/// (draft-ietf-oauth-signed-http-request).
public struct ProofOfPossession: Sendable {
  /// The request that a signature is for (MSAL's `MSALAuthenticationSchemePop`).
  public struct Request: Hashable, Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The request's URL. The signature covers the host and the path, not the query.
    public var address: HTTPURL
    /// The nonce that the API demands, which makes a recorded request useless; nil for a random
    /// one.
    public var nonce: String?

    /// A request with the given parts.
    public init(_ method: HTTPMethod, _ address: HTTPURL, nonce: String? = nil) {
      self.method = method
      self.address = address
      self.nonce = nonce
    }
  }

  /// A method that a request may have (MSAL's `MSALHttpMethod`).
  public enum HTTPMethod: String, CaseIterable, Hashable, Sendable {
    case get = "GET"
    case head = "HEAD"
    case post = "POST"
    case put = "PUT"
    case delete = "DELETE"
    case connect = "CONNECT"
    case options = "OPTIONS"
    case trace = "TRACE"
    case patch = "PATCH"
  }

  /// The key's id: its thumbprint (RFC 7638), which the access token contains in `cnf`.
  package let keyID: String
  private let key: SigningKey
  private let jwk: JSONValue

  /// Proofs with this key.
  package init(_ key: SigningKey) throws(CryptoError) {
    let numbers = try key.publicJWK
    self.key = key
    jwk = Self.jwk(n: numbers.n, e: numbers.e)
    keyID = try Self.thumbprint(n: numbers.n, e: numbers.e)
  }

  /// The private key, to be stored: PKCS#8 in DER.
  package func privateKey() throws(CryptoError) -> SecretBytes { try key.der() }

  /// The parameters that a token request needs in addition.
  package var tokenParameters: FormParameters {
    // xms_ksl: where the key lives, in software.
    let confirmation = JSONValue.object([
      .init("kid", .string(keyID)), .init("xms_ksl", .string("sw")),
    ])
    return FormParameters([
      "token_type": "pop", "req_cnf": Base64URL.encode(confirmation.bytes),
    ])
  }

  /// The Authorization header for one request: `Pop` and the signed request, which contains the
  /// access token. It is valid for a few minutes from `now`.
  package func authorizationHeader(
    _ accessToken: Redacted<String>, for request: Request, now: Timestamp
  ) throws(CryptoError) -> Redacted<String> {
    let nonce: String
    if let given = request.nonce {
      nonce = given
    } else {
      nonce = Base64URL.encode(try RandomBytes.make(16))
    }
    var claims: [JSONValue.Member] = [
      .init("at", .string(accessToken.reveal())),
      .init("cnf", .object([.init("jwk", jwk)])),
      .init("m", .string(request.method.rawValue)),
      .init("nonce", .string(nonce)),
      .init("ts", .number(String(now.epochSeconds))),
      .init("u", .string(request.address.host)),
    ]
    if !request.address.path.isEmpty { claims.append(.init("p", .string(request.address.path))) }
    let header = JSONValue.object([
      .init("alg", .string("RS256")), .init("kid", .string(keyID)), .init("typ", .string("JWT")),
    ])
    let signed =
      Base64URL.encode(header.bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
    let signature = try key.sign(Array(signed.utf8))
    return Redacted("Pop \(signed).\(Base64URL.encode(signature))")
  }

  /// RFC 7638 section 3: SHA-256 over the required members, sorted by name.
  static func thumbprint(n: String, e: String) throws(CryptoError) -> String {
    Base64URL.encode(try Digest.sha256(jwk(n: n, e: e).bytes))
  }

  private static func jwk(n: String, e: String) -> JSONValue {
    .object([.init("e", .string(e)), .init("kty", .string("RSA")), .init("n", .string(n))])
  }
}
