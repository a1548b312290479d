import TokenVaultCrypto
import TokenVaultModel

/// ID tokens as an attacker or a broken provider would make them.
extension Provider {
  mutating func spoilt(_ good: JSONValue) throws(Failure) -> String {
    guard let spoiling else { return try signed(good) }
    let pair = try signingPair()
    var claims = good
    switch spoiling {
    case "otherIssuer": claims.set("iss", "https://attacker.example/v2.0")
    case "wrongNonce": claims.set("nonce", "not-the-nonce")
    case "noNonce": claims.set("nonce", nil)
    case "wrongAudience": claims.set("aud", "99999999-0000-4000-8000-000000000000")
    case "otherAudiences": claims.set("aud", ["99999999-0000-4000-8000-000000000000"])
    case "expired": claims.set("exp", .whole(now - 3600))
    case "notYetValid": claims.set("nbf", .whole(now + 3600))
    case "issuedInFuture": claims.set("iat", .whole(now + 86400))
    case "noSubject": claims.set("sub", nil)
    case "otherSubject":
      claims.set("sub", "somebody-else")
      if good["oid"] != nil { claims.set("oid", .string(newIdentifier())) }
    case "wrongHash": claims.set("at_hash", "AAAAAAAAAAAAAAAAAAAAAA")
    case "wrongTypes": claims.set("exp", "soon")
    case "unknownKey": return try signed(good, keyID: "no-such-key")
    case "noKeyID": return try signed(["typ": "JWT", "alg": "RS256"], good, with: pair.key)
    case "otherKey":
      do {
        let header: JSONValue = ["typ": "JWT", "alg": "RS256", "kid": .string(pair.id)]
        return try signed(header, good, with: try SigningKey.generate())
      } catch let failure as Failure {
        throw failure
      } catch {
        throw .broken
      }
    case "badSignature":
      let token = try signed(good)
      let end = token.lastIndex(of: ".") ?? token.startIndex
      return token[...end] + String(repeating: "A", count: 342)
    case "none":
      return input(["typ": "JWT", "alg": "none"], good) + "."
    case "hs256":
      // The public key taken for a shared secret (RFC 8725 section 2.1).
      let input = input(["typ": "JWT", "alg": "HS256", "kid": .string(pair.id)], good)
      return input + "." + Base64URL.encode(hmac(Array(pair.modulus.utf8), Array(input.utf8)))
    case "noToken": return ""
    default: return spoiling
    }
    return try signed(claims)
  }

  private func input(_ header: JSONValue, _ claims: JSONValue) -> String {
    Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
  }

  /// RFC 2104 with SHA-256.
  private func hmac(_ key: [UInt8], _ text: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? hash(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return hash(block.map { $0 ^ 0x5c } + hash(block.map { $0 ^ 0x36 } + text))
  }
}
