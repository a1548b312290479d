import Foundation
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

extension Provider {
  /// A token answer (RFC 6749 section 5.1) with what Microsoft adds.
  mutating func issue(
    _ index: Int, client: Client, realm: Realm, scopes: [String], form: FormParameters,
    nonce: String? = nil
  ) throws(Failure) -> JSONValue {
    let grant = grants[index]
    guard let user = user(grant.username) else {
      throw Failure("invalid_grant", 50034, "The user account does not exist.")
    }
    let declined = Set(configuration.settings["declinedScopes"]?.texts ?? [])
    let granted = scopes.filter { !declined.contains($0) }
    let lifetime = configuration.number("accessTokenLifetime")
    let claims = form["claims"] ?? grant.claims
    let keyID = try boundKey(form)
    let access = AccessToken(
      grant: index, username: user.username, client: client.id,
      tenant: realm.tenant(for: user), scopes: granted.map { Scopes.name($0, base) },
      audience: granted.first { !Scopes.openID.contains($0) }.map { Scopes.resource($0, base) }
        ?? "graph", claims: claims, expires: now + lifetime, keyID: keyID)
    let token = try accessTokenText(access, user, realm)
    accessTokens[token] = access
    let told = granted.filter { realm.isPlain || $0 != "offline_access" }
    var answer: JSONValue = [
      "token_type": keyID == nil ? "Bearer" : "pop", "scope": .string(told.joined(separator: " ")),
      "expires_in": .whole(lifetime), "access_token": .string(token),
    ]
    if let refresh = refreshToken(index, client, grant, form) {
      answer.set("refresh_token", .string(refresh))
    }
    if granted.contains("openid") {
      answer.set(
        "id_token",
        .string(
          try idToken(user, client, realm, granted, grant, claims, nonce: nonce, access: token)))
    }
    guard !realm.isPlain else { return answer }
    answer.set("ext_expires_in", .whole(configuration.number("extExpiresIn")))
    if configuration.number("refreshIn") > 0 {
      answer.set("refresh_in", .whole(configuration.number("refreshIn")))
    }
    if client.family != nil, realm.isEntra { answer.set("foci", client.family.map { .string($0) }) }
    if form["client_info"] == "1" {
      answer.set("client_info", .string(clientInfo(user, realm)))
    }
    if realm.policy != nil {
      answer.set("not_before", .whole(now))
      answer.set(
        "refresh_token_expires_in", .whole(configuration.number("refreshTokenLifetime")))
    }
    return answer
  }

  private mutating func refreshToken(
    _ index: Int, _ client: Client, _ grant: Grant, _ form: FormParameters
  ) -> String? {
    // Without rotation the client keeps the one it has (RFC 6749 section 6).
    guard grant.scopes.contains("offline_access"),
      form["grant_type"] != "refresh_token" || configuration.isOn("rotation")
    else { return nil }
    let text = "1." + randomText(48)
    refreshTokens[text] = RefreshToken(
      grant: index, client: client.id, family: grant.realm.isEntra ? client.family : nil,
      expires: now + configuration.number("refreshTokenLifetime"))
    return text
  }

  private func clientInfo(_ user: User, _ realm: Realm) -> String {
    let uid = user.objectID + (realm.policy.map { "-" + $0 } ?? "")
    let info: JSONValue = ["uid": .string(uid), "utid": .string(user.tenant)]
    return Base64URL.encode(info.bytes)
  }

  func subject(_ user: User, _ client: Client, _ realm: Realm) -> String {
    // Pairwise: another client, another name for the same person.
    let parts =
      "\(user.objectID) \(client.id) \(realm.isPlain ? realm.path : realm.tenant(for: user))"
    return Base64URL.encode(hash(Array(parts.utf8)))
  }

  private mutating func accessTokenText(
    _ token: AccessToken, _ user: User, _ realm: Realm
  ) throws(Failure) -> String {
    guard configuration.text("accessTokenFormat") == "jwt" else { return "at." + randomText(48) }
    let own = token.audience == "graph" ? "https://graph.microsoft.com" : token.audience
    var claims: JSONValue = [
      "aud": .string(own), "iss": .string(realm.issuer(base: base, for: user)),
      "iat": .whole(now), "nbf": .whole(now), "exp": .whole(token.expires),
      "oid": .string(user.objectID(in: token.tenant)), "tid": .string(token.tenant),
      "azp": .string(token.client), "scp": .string(token.scopes.joined(separator: " ")),
      "uti": .string(randomText(16)), "ver": "2.0",
    ]
    claims.set("cnf", token.keyID.map { ["kid": .string($0)] })
    return try signed(claims)
  }

  private mutating func idToken(
    _ user: User, _ client: Client, _ realm: Realm, _ scopes: [String], _ grant: Grant,
    _ requested: String?, nonce: String?, access: String
  ) throws(Failure) -> String {
    let tenant = realm.tenant(for: user)
    var claims: JSONValue = [
      "iss": .string(realm.issuer(base: base, for: user)), "aud": .string(client.id),
      "sub": .string(subject(user, client, realm)), "iat": .whole(now), "exp": .whole(now + 3600),
    ]
    claims.set("nonce", nonce.map { .string($0) })
    if scopes.contains("profile") {
      claims.set("name", .string(user.name))
      claims.set("preferred_username", .string(user.username))
    }
    if scopes.contains("email") { claims.set("email", .string(user.username)) }
    if realm.isPlain {
      claims.set("auth_time", .whole(grant.authTime))
      claims.set("at_hash", .string(Base64URL.encode(Array(hash(Array(access.utf8))[..<16]))))
    } else {
      claims.set("oid", .string(user.objectID(in: tenant)))
      claims.set("tid", .string(tenant))
      claims.set("ver", "2.0")
      claims.set("nbf", .whole(now))
    }
    if case .b2c(_, let policy, let isTFP) = realm.kind {
      claims.set(isTFP ? "tfp" : "acr", .string(policy))
    }
    // OpenID Connect Core section 5.5.
    let asked = requested.flatMap(object)?["id_token"]
    if asked?["auth_time"] != nil { claims.set("auth_time", .whole(grant.authTime)) }
    if asked?["email"] != nil { claims.set("email", .string(user.username)) }
    if let acrs = asked?["acrs"]?["value"] { claims.set("acrs", [acrs]) }
    return try spoilt(claims)
  }

  mutating func signed(_ claims: JSONValue, keyID: String? = nil) throws(Failure) -> String {
    let pair = try signingPair()
    let header: JSONValue = ["typ": "JWT", "alg": "RS256", "kid": .string(keyID ?? pair.id)]
    return try signed(header, claims, with: pair.key)
  }

  func signed(
    _ header: JSONValue, _ claims: JSONValue, with key: SigningKey
  ) throws(Failure) -> String {
    let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
    do {
      return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    } catch {
      throw .broken
    }
  }

  func hash(_ bytes: [UInt8]) -> [UInt8] {
    do {
      return try Digest.sha256(bytes)
    } catch {
      // Nothing will match it, as it should be.
      return [UInt8](repeating: 0, count: 32)
    }
  }
}

extension Failure {
  static let broken = Failure("server_error", 90033, "Try again later.", status: 500)
}

func newIdentifier() -> String { UUID().uuidString.lowercased() }
