import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// A request that shows its access token in a signature (draft-ietf-oauth-signed-http-request).
struct SignedRequest {
  let accessToken: String
  /// The thumbprint of the key that signed (RFC 7638).
  let keyID: String
  private let claims: JSONValue

  /// Nil for anything that its own key did not sign.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    do {
      guard parts.count == 3, let payload = Base64URL.decode(parts[1]),
        let signature = Base64URL.decode(parts[2])
      else { return nil }
      claims = try JSONValue(parsing: payload)
      guard let jwk = claims["cnf"]?["jwk"], let token = claims["at"]?.text,
        let n = jwk["n"]?.text, let e = jwk["e"]?.text, let modulus = Base64URL.decode(n),
        let exponent = Base64URL.decode(e),
        try VerificationKey.rsa(n: modulus, e: exponent)
          .verifies(signature, of: Array((parts[0] + "." + parts[1]).utf8), by: .rs256)
      else { return nil }
      accessToken = token
      let known: JSONValue = ["e": .string(e), "kty": "RSA", "n": .string(n)]
      keyID = Base64URL.encode(try Digest.sha256(known.bytes))
    } catch {
      return nil
    }
  }

  /// Whether the signature is for this request, made within the last five minutes.
  func isFor(_ request: Request, base: String, now: Double) -> Bool {
    claims["m"]?.text == request.method && claims["u"]?.text == HTTPURL(base)?.host
      && claims["p"]?.text == "/" + request.segments.joined(separator: "/")
      && abs((claims["ts"]?.number ?? 0) - now) < 300 && claims["nonce"]?.text != nil
  }
}

extension Provider {
  /// The key that a token is asked to be bound to; nil for a bearer token.
  func boundKey(_ form: FormParameters) throws(Failure) -> String? {
    guard form["token_type"] == "pop" else { return nil }
    guard let text = form["req_cnf"], let bytes = Base64URL.decode(text),
      let key = object(String(decoding: bytes, as: UTF8.self))?["kid"]?.text
    else { throw Failure("invalid_request", 700_000, "The req_cnf parameter names no key.") }
    return key
  }
}
