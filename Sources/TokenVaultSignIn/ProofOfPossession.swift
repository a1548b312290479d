public import TokenVaultCrypto
public import TokenVaultModel

/// How a token is shown to the API it is for (MSAL's authentication schemes).
public enum AuthenticationScheme: Hashable, Sendable {
  /// The token alone: whoever has it may use it (RFC 6750).
  case bearer
  /// The token in a signed request, for this request only.
  case pop(ProofOfPossession.Request)
}

/// Access tokens that only the holder of a key can use, as MSAL for macOS has them: the token is
/// bound to the key when it is issued, and each request carries it in a signed HTTP request
/// (draft-ietf-oauth-signed-http-request).
public struct ProofOfPossession: Sendable {
  /// The request that a signature is for (MSAL's `MSALAuthenticationSchemePop`).
  public struct Request: Hashable, Sendable {
    /// The method.
    public var method: HTTPMethod
    /// Where it goes. The signature covers the host and the path, not the query.
    public var address: HTTPURL
    /// What the API asked for, so that a recorded request is of no use; nil for a random one.
    public var nonce: String?

    /// A request with the parts given.
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

  /// The name of the key: its thumbprint (RFC 7638), which the access token carries in `cnf`.
  public let keyID: String
  private let key: SigningKey
  private let jwk: JSONValue

  /// Binds to a key.
  package init(_ key: SigningKey) throws(CryptoError) {
    let numbers = try key.publicJWK
    self.key = key
    jwk = Self.jwk(n: numbers.n, e: numbers.e)
    keyID = try Self.thumbprint(n: numbers.n, e: numbers.e)
  }

  /// What a token request carries beside its other parameters.
  public var tokenParameters: FormParameters {
    // xms_ksl: where the key lives, in software.
    let confirmation = JSONValue.object([
      .init("kid", .string(keyID)), .init("xms_ksl", .string("sw")),
    ])
    return FormParameters([
      "token_type": "pop", "req_cnf": Base64URL.encode(confirmation.bytes),
    ])
  }

  /// The value of the Authorization header that one request takes: `Pop` and the signed request
  /// with the access token in it. It holds for a few minutes from `now`.
  public func authorizationHeader(
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

  /// RFC 7638 section 3: SHA-256 over the members that are required, in the order of their names.
  static func thumbprint(n: String, e: String) throws(CryptoError) -> String {
    Base64URL.encode(try Digest.sha256(jwk(n: n, e: e).bytes))
  }

  private static func jwk(n: String, e: String) -> JSONValue {
    .object([.init("e", .string(e)), .init("kty", .string("RSA")), .init("n", .string(n))])
  }
}
