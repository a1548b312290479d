/// Faults that tests and demos inject; see docs/identity-provider.md.
extension Provider {
  private func matching(_ endpoint: Endpoint, _ grant: String?) -> Int? {
    faults.firstIndex {
      $0.endpoint == endpoint.rawValue && ($0.grant == nil || $0.grant == grant)
    }
  }

  /// The fault for a request, which counts as used.
  mutating func takeFault(_ endpoint: Endpoint, grant: String?) -> Fault? {
    guard let index = matching(endpoint, grant) else { return nil }
    let fault = faults[index]
    faults[index].left -= 1
    if faults[index].left <= 0 { faults.remove(at: index) }
    count("faults")
    return fault
  }

  /// Milliseconds to wait before the request is processed.
  func delayBefore(_ request: Request) -> Double {
    let endpoint = configuration.route(request.segments, host: request.externalHost).endpoint
    return matching(endpoint, request.form?["grant_type"]).map { faults[$0].delayBefore } ?? 0
  }

  /// An ID token, with the fault that ``Provider/idTokenFault`` names: as an attacker or a broken
  /// provider would make it.
  mutating func signedWithFault(_ good: JSON) throws(Failure) -> String {
    guard let fault = idTokenFault else { return try signed(good) }
    let pair = try signingPair()
    var claims = good
    switch fault {
    case "otherIssuer": claims["iss"] = "https://attacker.example/v2.0"
    case "wrongNonce": claims["nonce"] = "not-the-nonce"
    case "noNonce": claims["nonce"] = nil
    case "wrongAudience": claims["aud"] = "99999999-0000-4000-8000-000000000000"
    case "otherAudiences": claims["aud"] = ["99999999-0000-4000-8000-000000000000"]
    case "expired": claims["exp"] = .seconds(now - 3600)
    case "notYetValid": claims["nbf"] = .seconds(now + 3600)
    case "issuedInFuture": claims["iat"] = .seconds(now + 86400)
    case "noSubject": claims["sub"] = nil
    case "otherSubject":
      claims["sub"] = "somebody-else"
      if good["oid"] != nil { claims["oid"] = .string(RandomText.uuid()) }
    case "wrongHash": claims["at_hash"] = "AAAAAAAAAAAAAAAAAAAAAA"
    case "wrongTypes": claims["exp"] = "soon"
    case "unknownKey": return try signed(good, keyID: "no-such-key")
    case "noKeyID": return try signed(["typ": "JWT", "alg": "RS256"], good, with: pair)
    case "otherKey":
      return try signed(
        ["typ": "JWT", "alg": "RS256", "kid": .string(pair.id)], good, with: try newSigningPair())
    case "badSignature":
      let token = try signed(good)
      let end = token.lastIndex(of: ".") ?? token.startIndex
      return token[...end] + String(repeating: "A", count: 342)
    case "none":
      return SigningPair.signingInput(["typ": "JWT", "alg": "none"], good) + "."
    case "hs256":
      // The public key used as a shared secret (RFC 8725 section 2.1).
      let input = SigningPair.signingInput(
        ["typ": "JWT", "alg": "HS256", "kid": .string(pair.id)], good)
      let tag = try Hash.hmacSHA256(key: Array(pair.modulus.utf8), Array(input.utf8))
      return input + "." + tag.base64URL
    case "noToken": return ""
    default: return fault
    }
    return try signed(claims)
  }
}
