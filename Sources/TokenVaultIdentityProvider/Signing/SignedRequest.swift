import Foundation
import TokenVaultCrypto

/// A request that proves possession of the key that its access token is bound to
/// (draft-ietf-oauth-signed-http-request).
struct SignedRequest {
  let accessToken: String
  /// The thumbprint of the key that signed (RFC 7638).
  let keyID: String
  private let claims: JSON

  /// Returns nil unless the key that is named in the request signed it.
  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    do {
      guard parts.count == 3, let payload = Data(base64URL: parts[1]),
        let signature = Data(base64URL: parts[2])
      else { return nil }
      claims = try JSON(parsing: payload)
      guard let jwk = claims["cnf"]?["jwk"], let token = claims["at"]?.text,
        let n = jwk["n"]?.text, let e = jwk["e"]?.text, let modulus = Data(base64URL: n),
        let exponent = Data(base64URL: e),
        try VerificationKey.rsa(n: Array(modulus), e: Array(exponent))
          .verifies(Array(signature), of: Array((parts[0] + "." + parts[1]).utf8), by: .rs256)
      else { return nil }
      accessToken = token
      let required: JSON = ["e": .string(e), "kty": "RSA", "n": .string(n)]
      keyID = try Hash.sha256(required.bytes).base64URL
    } catch {
      return nil
    }
  }

  /// Whether the signature is for this request and at most five minutes old.
  func isFor(_ request: Request, base: String, now: Double) -> Bool {
    claims["m"]?.text == request.method
      && claims["u"]?.text == URLComponents(string: base)?.host
      && claims["p"]?.text == "/" + request.segments.joined(separator: "/")
      && abs((claims["ts"]?.number ?? 0) - now) < 300 && claims["nonce"]?.text != nil
  }
}
