import Foundation

/// The authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2).
extension Provider {
  static let cookie = "idp_session"

  mutating func authorize(_ request: Request, _ realm: Realm) -> Reply {
    guard let parameters = request.method == "POST" ? request.form : request.query else {
      return .page("Sorry", "<p id=\"error\">The request is not a form.</p>", status: 400)
    }
    // RFC 6749 section 4.1.2.1: without a known client and one of its redirect URIs, only the user
    // in front of the browser may see the error.
    guard let client = client(parameters["client_id"]) else {
      return errorPage("AADSTS700016: The application was not found in the directory.")
    }
    guard let redirect = parameters["redirect_uri"], client.allows(redirect: redirect) else {
      return errorPage("AADSTS50011: The redirect URI does not match those of the application.")
    }
    var flow = Flow(
      realm: realm, client: client.id, redirectURI: redirect, state: parameters["state"],
      nonce: parameters["nonce"], scopes: [], claims: parameters["claims"],
      loginHint: parameters["login_hint"], domainHint: parameters["domain_hint"],
      maxAge: parameters["max_age"].flatMap(Double.init))
    do {
      try check(parameters, &flow)
    } catch {
      return refuse(flow, error)
    }
    return proceed(flow, session: request.cookie(Self.cookie))
  }

  private func check(_ parameters: FormFields, _ flow: inout Flow) throws(Failure) {
    guard !parameters.hasRepeats else {
      throw Failure("invalid_request", 9000411, "A parameter is repeated.")
    }
    guard parameters["response_type"] == "code" else {
      throw Failure("unsupported_response_type", 700054, "Only response_type code is enabled.")
    }
    guard ["query", nil].contains(parameters["response_mode"]) else {
      throw Failure("invalid_request", 70007, "The response_mode is not supported.")
    }
    guard parameters["code_challenge_method"] == "S256",
      let challenge = parameters["code_challenge"],
      Data(base64URL: challenge)?.count == 32
    else {
      throw Failure("invalid_request", 9002325, "Proof Key for Code Exchange (S256) is required.")
    }
    flow.challenge = challenge
    flow.scopes = try Scopes.parse(parameters["scope"], base: base)
    guard flow.scopes.contains("openid") else {
      throw Failure("invalid_scope", 70011, "The scope 'openid' is missing.")
    }
    if let claims = flow.claims, object(claims) == nil {
      throw Failure("invalid_request", 50062, "The claims parameter is not a JSON object.")
    }
    flow.prompts = Set((parameters["prompt"] ?? "").split(separator: " ").map(String.init))
    guard
      flow.prompts.isSubset(of: configuration.settings["prompts"]?.texts ?? []),
      !flow.prompts.contains("none") || flow.prompts.count == 1
    else { throw Failure("invalid_request", 90023, "The prompt parameter is not valid.") }
  }

  /// The JSON object in a text; nil for anything else.
  func object(_ text: String) -> JSON? {
    do {
      let value = try JSON(parsing: text.utf8)
      return value.members == nil ? nil : value
    } catch {
      return nil
    }
  }

  func errorPage(_ text: String) -> Reply {
    var reply = Reply.page("Sorry", "<p id=\"error\">\(text.html)</p>", status: 400)
    reply.error = "invalid_request"
    return reply
  }

  /// Shows the next page that the user has to answer, or ends the flow with a code.
  mutating func proceed(_ flow: Flow, session: String?) -> Reply {
    var flow = flow
    let signedIn = session.flatMap { sessions[$0] } ?? [:]
    do {
      if flow.username == nil { try choose(&flow, among: signedIn) }
    } catch {
      return refuse(flow, error)
    }
    guard let username = flow.username, let user = user(username) else {
      return accountPage(flow, id: keep(flow), signedIn: Set(signedIn.keys))
    }
    let missing = missingConsent(flow.scopes, username: username, client: flow.client)
    if !Set(missing).isDisjoint(with: configuration.settings["adminScopes"]?.texts ?? []) {
      return refuse(
        flow,
        Failure("access_denied", 90094, "An administrator has to consent to this application."))
    }
    if !missing.isEmpty || flow.prompts.contains("consent") || flow.device != nil {
      if flow.prompts.contains("none") {
        return refuse(flow, Failure("consent_required", 65001, "The user has not consented."))
      }
      return consentPage(flow, id: keep(flow), user: user)
    }
    return finish(flow)
  }

  private mutating func choose(
    _ flow: inout Flow, among signedIn: [String: Double]
  ) throws(Failure) {
    let automatic = configuration.text("autoSignIn")
    if flow.device == nil, !flow.prompts.contains("none"), let user = user(automatic),
      flow.realm.admits(user)
    {
      (flow.username, flow.authTime) = (user.username, now)
      return
    }
    guard flow.prompts.isDisjoint(with: ["login", "select_account", "create"]) else { return }
    var known = signedIn.filter { name, _ in user(name).map(flow.realm.admits) ?? false }
    if let maxAge = flow.maxAge { known = known.filter { now - $0.value <= maxAge } }
    if let hint = flow.loginHint?.lowercased() {
      known = known.filter { $0.key.lowercased() == hint }
    }
    if known.count == 1, let only = known.first {
      (flow.username, flow.authTime) = (only.key, only.value)
    } else if flow.prompts.contains("none") {
      throw known.isEmpty
        ? Failure("login_required", 50058, "The user is not signed in.")
        : Failure("interaction_required", 16000, "Several user identities are available.")
    }
  }

  func missingConsent(_ scopes: [String], username: String, client: String) -> [String] {
    let given = (consents[username + " " + client] ?? []).union(
      self.client(client)?.consented ?? [])
    return scopes.map { Scopes.name($0, base) }.filter { !given.contains($0) }
  }

  /// Stores a flow until the user answers. Returns its ID, which only the page contains.
  mutating func keep(_ flow: Flow) -> String {
    let id = RandomText.base64URL()
    flows[id] = flow
    return id
  }

  /// Ends a flow with a code for the client's redirect URI.
  mutating func finish(_ flow: Flow) -> Reply {
    let code = "0." + RandomText.base64URL()
    codes[code] = AuthorizationCode(flow: flow, expires: now + configuration.number("codeLifetime"))
    count("codes")
    var parameters = FormFields(["code": code, "state": flow.state])
    parameters.append("iss", answerIssuer(flow))
    if flow.realm.isEntra { parameters.append("session_state", RandomText.uuid()) }
    return .redirect(flow.redirectURI, parameters)
  }

  func refuse(_ flow: Flow, _ failure: Failure) -> Reply {
    let prefix = flow.realm.policy != nil ? "AADB2C" : flow.realm.isPlain ? "" : "AADSTS"
    let text = prefix.isEmpty ? failure.text : "\(prefix)\(failure.code): \(failure.text)"
    var parameters = FormFields([
      "error": failure.error, "error_description": text, "state": flow.state,
    ])
    parameters.append("error_subcode", failure.suberror)
    parameters.append("iss", answerIssuer(flow))
    return .redirect(flow.redirectURI, parameters)
  }

  /// The `iss` parameter (RFC 9207), in realms whose discovery document promises it.
  private func answerIssuer(_ flow: Flow) -> String? {
    guard configuration.isOn("issParameter"), flow.realm.hasOneIssuer else { return nil }
    return flow.realm.issuer(base: base, for: nil)
  }
}
