import Foundation

/// The token endpoint (RFC 6749 section 3.2).
extension Provider {
  /// The form of a request to an endpoint for clients (RFC 6749 section 3.2).
  func protocolForm(_ request: Request) throws(Failure) -> FormFields {
    guard request.method == "POST", let form = request.form else {
      throw Failure("invalid_request", 900144, "The request is not a well-formed POST of a form.")
    }
    guard !form.hasRepeats else {
      throw Failure("invalid_request", 9000411, "A parameter is repeated.")
    }
    guard request.headers["authorization"] == nil, form["client_secret"] == nil else {
      throw Failure(
        "invalid_client", 700025, "Client is public so no secret may be presented.", status: 401)
    }
    return form
  }

  func publicClient(_ form: FormFields) throws(Failure) -> Client {
    guard let id = form["client_id"] else {
      throw Failure("invalid_request", 900144, "The parameter client_id is missing.")
    }
    guard let client = client(id) else {
      throw Failure("unauthorized_client", 700016, "The application was not found.")
    }
    return client
  }

  mutating func token(_ request: Request, _ realm: Realm) throws(Failure) -> JSON {
    let form = try protocolForm(request)
    let client = try publicClient(form)
    if let claims = form["claims"], object(claims) == nil {
      throw Failure("invalid_request", 50062, "The claims parameter is not a JSON object.")
    }
    switch form["grant_type"] {
    case "authorization_code": return try redeemCode(form, client, realm)
    case "refresh_token": return try refresh(form, client, realm)
    case "urn:ietf:params:oauth:grant-type:device_code":
      return try redeemDevice(form, client, realm)
    default:
      throw Failure("unsupported_grant_type", 70003, "The grant type is not supported.")
    }
  }

  private mutating func redeemCode(
    _ form: FormFields, _ client: Client, _ realm: Realm
  ) throws(Failure) -> JSON {
    guard let text = form["code"], let code = codes[text], code.flow.client == client.id,
      code.flow.realm.path == realm.path || code.flow.realm.kind == realm.kind
    else { throw Failure("invalid_grant", 70000, "The authorization code is not valid.") }
    // RFC 6749 section 4.1.2: a second use revokes the tokens of the first.
    if code.isUsed {
      if let grant = code.grant { revokeGrant(grant) }
      count("codeReuses")
      throw Failure("invalid_grant", 54005, "The authorization code was already redeemed.")
    }
    codes[text]?.isUsed = true
    guard now < code.expires else {
      throw Failure("invalid_grant", 70008, "The authorization code has expired.")
    }
    guard form["redirect_uri"] == code.flow.redirectURI else {
      throw Failure("invalid_grant", 500112, "The reply address does not match.")
    }
    try checkVerifier(form["code_verifier"], code.flow.challenge)
    guard let username = code.flow.username else {
      throw Failure("invalid_grant", 70000, "The authorization code is not valid.")
    }
    // The scope may be narrower than the authorization, never wider.
    let asked = try Scopes.parse(form["scope"], base: base)
    guard Set(asked).isSubset(of: code.flow.scopes) else {
      throw Failure("invalid_grant", 70000, "The scope is wider than the authorization.")
    }
    let grant = add(
      Grant(
        realm: code.flow.realm, username: username, client: client.id, scopes: code.flow.scopes,
        claims: code.flow.claims, authTime: code.flow.authTime))
    codes[text]?.grant = grant
    count("codeRedemptions")
    return try issue(
      grant, client: client, realm: code.flow.realm,
      scopes: asked.isEmpty ? code.flow.scopes : asked,
      form: form, nonce: code.flow.nonce)
  }

  /// RFC 7636 section 4.6.
  private func checkVerifier(_ verifier: String?, _ challenge: String) throws(Failure) {
    guard let verifier else {
      throw Failure("invalid_grant", 501481, "The Code_Verifier is missing.")
    }
    let isAllowed = verifier.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
        || "-._~".utf8.contains($0)
    }
    guard isAllowed, (43...128).contains(verifier.utf8.count),
      try Hash.sha256(verifier.utf8).base64URL == challenge
    else {
      throw Failure("invalid_grant", 501481, "The Code_Verifier does not match the challenge.")
    }
  }

  private mutating func refresh(
    _ form: FormFields, _ client: Client, _ realm: Realm
  ) throws(Failure) -> JSON {
    count("refreshRequests")
    guard let text = form["refresh_token"], let token = refreshTokens[text] else {
      throw Failure(
        "invalid_grant", 9002313, "The refresh token is malformed.", suberror: "bad_token")
    }
    let grant = grants[token.grant]
    guard token.client == client.id || (token.family != nil && token.family == client.family) else {
      throw Failure(
        "invalid_grant", 700003, "The refresh token was issued to another client.",
        suberror: "client_mismatch")
    }
    guard grant.realm.trustDomain == realm.trustDomain else {
      throw Failure("invalid_grant", 70000, "The refresh token is of another issuer.")
    }
    if token.isUsed, configuration.isOn("reuseDetection") {
      count("reuses")
      revokeGrant(token.grant)
    }
    guard !grants[token.grant].isRevoked, !token.isUsed else {
      throw Failure(
        "invalid_grant", 50173, "The refresh token was revoked.", suberror: "bad_token")
    }
    guard now < token.expires else {
      throw Failure(
        "invalid_grant", 700082, "The refresh token has expired.", suberror: "token_expired")
    }
    guard let user = user(grant.username), realm.admits(user) else {
      throw Failure("invalid_grant", 50020, "The user does not exist in the tenant.")
    }
    let scopes = try refreshedScopes(form, client, grant)
    try checkClaims(form["claims"], grant)
    // A family refresh token that another client of the family uses stays valid for its own client.
    if configuration.isOn("rotation"), token.client == client.id {
      refreshTokens[text]?.isUsed = true
    }
    count("refreshes")
    return try issue(token.grant, client: client, realm: realm, scopes: scopes, form: form)
  }

  private func refreshedScopes(
    _ form: FormFields, _ client: Client, _ grant: Grant
  ) throws(Failure) -> [String] {
    let asked = try Scopes.parse(form["scope"], base: base)
    if asked.isEmpty { return grant.scopes }
    if grant.realm.isPlain {
      // RFC 6749 section 6.
      guard Set(asked).isSubset(of: grant.scopes) else {
        throw Failure("invalid_scope", 70011, "The scope is wider than the authorization.")
      }
    } else if !missingConsent(asked, username: grant.username, client: client.id).isEmpty {
      throw Failure(
        "invalid_grant", 65001, "The user has not consented to the application.",
        suberror: "consent_required")
    }
    return asked
  }

  /// With `refreshMeetsClaims` off, a claims challenge requires the user.
  private func checkClaims(_ claims: String?, _ grant: Grant) throws(Failure) {
    guard let claims, !configuration.isOn("refreshMeetsClaims"),
      ClaimsChallenge.isMet(by: object(claims)),
      !ClaimsChallenge.isMet(by: grant.claims.flatMap(object))
    else { return }
    throw Failure(
      "interaction_required", 50076, "The user must use multi-factor authentication.",
      suberror: "basic_action", claims: ClaimsChallenge.text)
  }

  /// Stores a grant and returns its index.
  mutating func add(_ grant: Grant) -> Int {
    grants.append(grant)
    return grants.count - 1
  }

  /// The key that the access token is to be bound to; nil for a bearer token.
  func boundKey(_ form: FormFields) throws(Failure) -> String? {
    guard form["token_type"] == "pop" else { return nil }
    guard let text = form["req_cnf"], let bytes = Data(base64URL: text),
      let key = object(String(decoding: bytes, as: UTF8.self))?["kid"]?.text
    else { throw Failure("invalid_request", 700_000, "The req_cnf parameter names no key.") }
    return key
  }

  /// Revokes all tokens that come from one sign-in.
  mutating func revokeGrant(_ grant: Int) {
    guard !grants[grant].isRevoked else { return }
    grants[grant].isRevoked = true
    count("familiesKilled")
  }
}
