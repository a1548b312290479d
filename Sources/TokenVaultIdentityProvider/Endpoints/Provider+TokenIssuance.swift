import Foundation

/// Token responses (RFC 6749 section 5.1) and the tokens in them.
extension Provider {
  /// A token response; outside of plain realms with the members that Microsoft adds.
  mutating func issue(
    _ index: Int, client: Client, realm: Realm, scopes: [String], form: FormFields,
    nonce: String? = nil
  ) throws(Failure) -> JSON {
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
    let reported = granted.filter { realm.isPlain || $0 != "offline_access" }
    var answer: JSON = [
      "token_type": keyID == nil ? "Bearer" : "pop",
      "scope": .string(reported.joined(separator: " ")),
      "expires_in": .seconds(lifetime), "access_token": .string(token),
    ]
    if let refresh = refreshToken(index, client, grant, form) {
      answer["refresh_token"] = .string(refresh)
    }
    if granted.contains("openid") {
      answer["id_token"] = .string(
        try idToken(user, client, realm, granted, grant, claims, nonce: nonce, access: token))
    }
    guard !realm.isPlain else { return answer }
    answer["ext_expires_in"] = .seconds(configuration.number("extExpiresIn"))
    if configuration.number("refreshIn") > 0 {
      answer["refresh_in"] = .seconds(configuration.number("refreshIn"))
    }
    if client.family != nil, realm.isEntra {
      answer["foci"] = client.family.map { .string($0) }
    }
    if form["client_info"] == "1" {
      answer["client_info"] = .string(clientInfo(user, realm))
    }
    if realm.policy != nil {
      answer["not_before"] = .seconds(now)
      answer["refresh_token_expires_in"] = .seconds(configuration.number("refreshTokenLifetime"))
    }
    return answer
  }

  private mutating func refreshToken(
    _ index: Int, _ client: Client, _ grant: Grant, _ form: FormFields
  ) -> String? {
    // Without rotation the client keeps its refresh token (RFC 6749 section 6).
    guard grant.scopes.contains("offline_access"),
      form["grant_type"] != "refresh_token" || configuration.isOn("rotation")
    else { return nil }
    let text = "1." + RandomText.base64URL(byteCount: 48)
    refreshTokens[text] = RefreshToken(
      grant: index, client: client.id, family: grant.realm.isEntra ? client.family : nil,
      expires: now + configuration.number("refreshTokenLifetime"))
    return text
  }

  private func clientInfo(_ user: User, _ realm: Realm) -> String {
    let uid = user.objectID + (realm.policy.map { "-" + $0 } ?? "")
    let info: JSON = ["uid": .string(uid), "utid": .string(user.tenant)]
    return info.bytes.base64URL
  }

  /// A pairwise subject (OpenID Connect Core section 8.1): each client sees another value.
  func subject(_ user: User, _ client: Client, _ realm: Realm) throws(Failure) -> String {
    let parts =
      "\(user.objectID) \(client.id) \(realm.isPlain ? realm.path : realm.tenant(for: user))"
    return try Hash.sha256(parts.utf8).base64URL
  }

  private mutating func accessTokenText(
    _ token: AccessToken, _ user: User, _ realm: Realm
  ) throws(Failure) -> String {
    guard configuration.text("accessTokenFormat") == "jwt" else {
      return "at." + RandomText.base64URL(byteCount: 48)
    }
    let own = token.audience == "graph" ? "https://graph.microsoft.com" : token.audience
    var claims: JSON = [
      "aud": .string(own), "iss": .string(realm.issuer(base: base, for: user)),
      "iat": .seconds(now), "nbf": .seconds(now), "exp": .seconds(token.expires),
      "oid": .string(user.objectID(in: token.tenant)), "tid": .string(token.tenant),
      "azp": .string(token.client), "scp": .string(token.scopes.joined(separator: " ")),
      "uti": .string(RandomText.base64URL(byteCount: 16)), "ver": "2.0",
    ]
    claims["cnf"] = token.keyID.map { ["kid": .string($0)] }
    return try signed(claims)
  }

  private mutating func idToken(
    _ user: User, _ client: Client, _ realm: Realm, _ scopes: [String], _ grant: Grant,
    _ requested: String?, nonce: String?, access: String
  ) throws(Failure) -> String {
    let tenant = realm.tenant(for: user)
    var claims: JSON = [
      "iss": .string(realm.issuer(base: base, for: user)), "aud": .string(client.id),
      "sub": .string(try subject(user, client, realm)), "iat": .seconds(now),
      "exp": .seconds(now + 3600),
    ]
    claims["nonce"] = nonce.map { .string($0) }
    if scopes.contains("profile") {
      claims["name"] = .string(user.name)
      claims["preferred_username"] = .string(user.username)
    }
    if scopes.contains("email") { claims["email"] = .string(user.username) }
    if realm.isPlain {
      claims["auth_time"] = .seconds(grant.authTime)
      claims["at_hash"] = .string(try Hash.sha256(access.utf8)[..<16].base64URL)
    } else {
      claims["oid"] = .string(user.objectID(in: tenant))
      claims["tid"] = .string(tenant)
      claims["ver"] = "2.0"
      claims["nbf"] = .seconds(now)
    }
    if case .b2c(_, let policy, let isTFP) = realm.kind {
      claims[isTFP ? "tfp" : "acr"] = .string(policy)
    }
    // The claims parameter (OpenID Connect Core section 5.5).
    let asked = requested.flatMap(object)?["id_token"]
    if asked?["auth_time"] != nil { claims["auth_time"] = .seconds(grant.authTime) }
    if asked?["email"] != nil { claims["email"] = .string(user.username) }
    if let acrs = asked?["acrs"]?["value"] { claims["acrs"] = [acrs] }
    return try signedWithFault(claims)
  }

  /// Signs claims with the current key.
  /// - Parameter keyID: the header's `kid`; nil for that of the key.
  mutating func signed(_ claims: JSON, keyID: String? = nil) throws(Failure) -> String {
    let pair = try signingPair()
    return try signed(
      ["typ": "JWT", "alg": "RS256", "kid": .string(keyID ?? pair.id)], claims, with: pair)
  }

  func signed(_ header: JSON, _ claims: JSON, with pair: SigningPair) throws(Failure) -> String {
    do {
      return try pair.token(header: header, claims: claims)
    } catch {
      throw .broken
    }
  }
}
