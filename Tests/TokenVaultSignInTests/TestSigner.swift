import Testing
import TokenVaultCrypto
import TokenVaultModel

@testable import TokenVaultSignIn

/// A provider that signs any token that a test needs.
struct TestSigner {
  static let shared = Result { () throws(CryptoError) in TestSigner(key: try .generate()) }

  let key: SigningKey

  /// The public key as a JWK, with a key id.
  func jwk(_ kid: String? = "k1", _ more: [String: JSONValue] = [:]) throws -> JSONValue {
    let numbers = try key.publicJWK
    var members: [String: JSONValue] = [
      "kty": .string("RSA"), "n": .string(numbers.n), "e": .string(numbers.e),
    ]
    members["kid"] = kid.map { .string($0) }
    members.merge(more) { $1 }
    return .object(members.map { .init($0, $1) })
  }

  func keys() throws -> JWKSet { try JWKSet(document([jwk()])) }

  /// A token with the given header and claims.
  func token(header: [String: JSONValue], claims: [String: JSONValue]) throws -> String {
    func part(_ members: [String: JSONValue]) -> String {
      Base64URL.encode(JSONValue.object(members.map { .init($0, $1) }).bytes)
    }
    let signed = part(header) + "." + part(claims)
    return signed + "." + Base64URL.encode(try key.sign(Array(signed.utf8)))
  }

  /// A valid token except for these changes.
  func token(
    kid: String? = "k1", alg: String = "RS256", _ changes: [String: JSONValue?] = [:]
  ) throws -> String {
    var header: [String: JSONValue] = ["alg": .string(alg), "typ": .string("JWT")]
    header["kid"] = kid.map { .string($0) }
    var claims: [String: JSONValue] = [
      "iss": .string(issuer), "aud": .string("app"), "sub": .string("person"),
      "exp": .number(String(now.epochSeconds + 3600)), "iat": .number(String(now.epochSeconds)),
      "nonce": .string("n-1"),
    ]
    for (name, value) in changes { claims[name] = value }
    return try token(header: header, claims: claims)
  }
}

let issuer = "https://id.example/v2.0"
let now = Timestamp(epochSeconds: 1_800_000_000)

func document(_ keys: [JSONValue]) -> [UInt8] {
  JSONValue.object([.init("keys", .array(keys))]).bytes
}

func expectations(
  issuer rule: IssuerRule = .exactly(issuer), nonce: String? = "n-1", accessToken: String? = nil,
  subject: String? = nil, algorithms: [String] = []
) -> IDTokenExpectations {
  IDTokenExpectations(
    issuer: rule, clientID: "app", nonce: nonce.map { Redacted($0) },
    accessToken: accessToken.map { Redacted($0) }, now: now, subject: subject,
    allowedAlgorithms: algorithms)
}

func at(_ seconds: Int64) -> JSONValue { .number(String(now.epochSeconds + seconds)) }

/// Stands for a claim that the token does not have.
let missing: JSONValue? = nil
