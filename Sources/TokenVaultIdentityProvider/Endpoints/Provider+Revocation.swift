/// The revocation endpoint (RFC 7009).
extension Provider {
  /// Revokes the sign-in that a refresh token or an access token came from.
  mutating func revoke(_ request: Request, _ realm: Realm) throws(Failure) -> Reply {
    guard configuration.isOn("revocation") else { return .notFound }
    let form = try protocolForm(request)
    let client = try publicClient(form)
    guard let text = form["token"] else {
      throw Failure("invalid_request", 900144, "The parameter token is missing.")
    }
    count("revocationRequests")
    let refresh = refreshTokens[text]
    let access = accessTokens[text]
    // RFC 7009 section 2.2: an unknown token is not an error.
    guard let grant = refresh?.grant ?? access?.grant, let owner = refresh?.client ?? access?.client
    else { return Reply() }
    guard owner == client.id, grants[grant].realm.trustDomain == realm.trustDomain else {
      throw Failure("invalid_grant", 700003, "The token was issued to another client.")
    }
    if !grants[grant].isRevoked { count("revocations") }
    revokeGrant(grant)
    return Reply()
  }
}
