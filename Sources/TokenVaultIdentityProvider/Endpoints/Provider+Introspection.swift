import Foundation

/// The introspection endpoint (RFC 7662), for resource servers such as a mail server.
extension Provider {
  /// Describes an access token. Any token that is not valid now is only said to be inactive.
  mutating func introspect(_ request: Request, _ realm: Realm) throws(Failure) -> Reply {
    let caller = configuration.text("resourceServer")
    guard !caller.isEmpty else { return .notFound }
    // RFC 7662 section 2.1: nobody else may try tokens out.
    let proof = request.credentials("basic").flatMap { Data(base64Encoded: $0) }
    guard proof == Data(caller.utf8) else {
      throw Failure("invalid_client", 7000215, "The caller is no resource server.", status: 401)
    }
    guard request.method == "POST", let form = request.form, !form.hasRepeats,
      let text = form["token"]
    else { throw Failure("invalid_request", 900144, "The request has no parameter token.") }
    count("introspections")
    guard let token = accessTokens[text], !grants[token.grant].isRevoked, now < token.expires,
      let user = user(token.username), let client = client(token.client),
      grants[token.grant].realm.trustDomain == realm.trustDomain
    else { return .json(["active": false]) }
    return .json([
      "active": true, "scope": .string(token.scopes.joined(separator: " ")),
      "client_id": .string(token.client), "username": .string(token.username),
      "token_type": token.keyID == nil ? "Bearer" : "pop", "exp": .seconds(token.expires),
      "sub": .string(try subject(user, client, grants[token.grant].realm)),
      "aud": .string(token.audience),
      "iss": .string(grants[token.grant].realm.issuer(base: base, for: user)),
    ])
  }
}
