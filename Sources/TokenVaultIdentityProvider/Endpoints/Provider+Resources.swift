import Foundation

/// The resources that access tokens open, and the userinfo endpoint.
extension Provider {
  private struct Refusal: Error {
    var status = 401
    var code = "InvalidAuthenticationToken"
    var text: String
    var challenge: String?
  }

  mutating func api(_ request: Request, _ endpoint: Endpoint) -> Reply {
    do throws(Refusal) {
      switch endpoint {
      case .me:
        guard request.segments.last == "me" else { return .notFound }
        let token = try bearer(request, audience: "graph", scope: "User.Read")
        if configuration.isOn("claimsChallenge") { try requireClaims(token) }
        return .json(profile(token))
      case .messages:
        return messages(try bearer(request, audience: "graph", scope: "Mail.Read"), request)
      default: return try ownAPI(request)
      }
    } catch {
      var reply = Reply.json(
        ["error": ["code": .string(error.code), "message": .string(error.text)]],
        status: error.status)
      reply.error = error.code
      if error.status == 401 {
        let challenge = error.challenge ?? ", error=\"invalid_token\""
        reply.headers.append(
          (
            "WWW-Authenticate",
            "Bearer realm=\"\", authorization_uri=\"\(base)/common/oauth2/v2.0/authorize\"\(challenge)"
          ))
        if error.challenge != nil { count("claimsChallenges") }
      }
      return reply
    }
  }

  /// The access token of a request, checked for expiry, revocation, audience and scope (RFC 6750).
  private mutating func bearer(
    _ request: Request, audience: String?, scope: String?
  ) throws(Refusal) -> AccessToken {
    let proof = request.credentials("pop").flatMap { SignedRequest($0) }
    guard let text = proof?.accessToken ?? request.bearer else {
      throw Refusal(text: "Access token is empty.", challenge: "")
    }
    guard let token = accessTokens[text], !grants[token.grant].isRevoked else {
      throw Refusal(text: "The token is not valid.")
    }
    // A bound token needs a signed request; a bearer token must come without one.
    guard token.keyID == proof?.keyID, proof?.isFor(request, base: base, now: now) ?? true else {
      throw Refusal(text: "The token is bound to another key or request.")
    }
    guard now < token.expires else { throw Refusal(text: "Lifetime validation failed.") }
    guard audience == nil || token.audience == audience else {
      throw Refusal(text: "Invalid audience.")
    }
    if let scope, !token.scopes.contains(scope), !token.scopes.contains(".default") {
      throw Refusal(
        status: 403, code: "Authorization_RequestDenied", text: "Insufficient privileges.")
    }
    count("apiCalls")
    return token
  }

  private func requireClaims(_ token: AccessToken) throws(Refusal) {
    guard !ClaimsChallenge.isMet(by: token.claims.flatMap(object)) else { return }
    let encoded = ClaimsChallenge.text.utf8.base64URL
    throw Refusal(
      text: "Continuous access evaluation resulted in challenge.",
      challenge: ", error=\"insufficient_claims\", claims=\"\(encoded)\"")
  }

  private func profile(_ token: AccessToken) -> JSON {
    let user = user(token.username)
    return [
      "@odata.context": .string("\(base)/v1.0/$metadata#users/$entity"),
      "id": .string(user?.objectID(in: token.tenant) ?? ""),
      "displayName": .string(user?.name ?? ""), "userPrincipalName": .string(token.username),
      "mail": .string(token.username),
    ]
  }

  private func messages(_ token: AccessToken, _ request: Request) -> Reply {
    let total = Int(configuration.number("messages"))
    let size = request.query["$top"].flatMap { Int($0) } ?? Int(configuration.number("pageSize"))
    let first = request.query["$skip"].flatMap { Int($0) } ?? 0
    guard size > 0, first >= 0 else { return .json(["error": ["code": "BadRequest"]], status: 400) }
    let shown = first..<max(first, min(total, first + size))
    var page: JSON = [
      "@odata.context": .string("\(base)/v1.0/$metadata#users/messages"),
      "value": .array(
        shown.map { number in
          [
            "id": .string("message-\(number + 1)"), "subject": .string("Message \(number + 1)"),
            "to": .string(token.username),
          ]
        }),
    ]
    if shown.upperBound < total {
      page["@odata.nextLink"] =
        "\(base)/v1.0/me/messages?$top=\(size)&$skip=\(shown.upperBound)"
    }
    return .json(page)
  }

  /// `/api/hello`, `/api/echo` and `/api/redirect?to=`, for any valid token.
  private mutating func ownAPI(_ request: Request) throws(Refusal) -> Reply {
    let token = try bearer(request, audience: nil, scope: nil)
    switch request.segments.last {
    case "hello":
      return .json([
        "hello": .string(token.username), "scopes": .texts(token.scopes),
        "audience": .string(token.audience),
      ])
    case "echo":
      return Reply(
        headers: [("Content-Type", request.headers["content-type"] ?? "text/plain")],
        body: request.body)
    case "redirect": return .redirect(request.query["to"] ?? base + "/api/hello", FormFields())
    default: return .notFound
    }
  }

  /// OpenID Connect Core section 5.3.
  mutating func userinfo(_ request: Request) throws(Failure) -> Reply {
    guard let text = request.bearer, let token = accessTokens[text], now < token.expires,
      !grants[token.grant].isRevoked, let user = user(token.username),
      let client = client(token.client)
    else { throw Failure("invalid_token", 0, "The access token is not valid.", status: 401) }
    return .json([
      "sub": .string(try subject(user, client, grants[token.grant].realm)),
      "name": .string(user.name), "preferred_username": .string(user.username),
      "email": .string(user.username),
    ])
  }
}
