import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// Giving tokens back, and ending the browser's session.
extension Provider {
  /// RFC 7009. Either token takes the whole sign-in with it.
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
    // Section 2.2: an unknown token is as good as a revoked one.
    guard let grant = refresh?.grant ?? access?.grant, let owner = refresh?.client ?? access?.client
    else { return Reply() }
    guard owner == client.id, grants[grant].realm.vicinity == realm.vicinity else {
      throw Failure("invalid_grant", 700003, "The token was issued to another client.")
    }
    if !grants[grant].isRevoked { count("revocations") }
    kill(grant)
    return Reply()
  }

  /// OpenID Connect RP-Initiated Logout 1.0.
  mutating func logout(_ request: Request) -> Reply {
    let parameters = (request.method == "POST" ? request.form : nil) ?? request.query
    let hint = parameters["id_token_hint"].flatMap(ownClaims)
    let username = parameters["logout_hint"] ?? hint?["preferred_username"]?.text
    count("logouts")
    if let session = request.cookie(Self.cookie) {
      if let username, sessions[session]?[username] != nil {
        sessions[session]?[username] = nil
      } else if username == nil {
        sessions[session] = nil
      }
      if sessions[session]?.isEmpty == true { sessions[session] = nil }
    }
    let client = client(hint?["aud"]?.text ?? parameters["client_id"])
    if let target = parameters["post_logout_redirect_uri"], client?.allows(redirect: target) == true
    {
      return .redirect(target, FormParameters(["state": parameters["state"]]))
    }
    return .page("You signed out", "<p id=\"signed-out\">You signed out of your account.</p>")
  }

  /// The claims of an ID token that this provider signed. A signature of PKCS #1 v1.5 is the same
  /// each time, so making it again verifies it.
  private func ownClaims(_ token: String) -> JSONValue? {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, let payload = Base64URL.decode(parts[1]) else { return nil }
    let input = Array("\(parts[0]).\(parts[1])".utf8)
    let isOwn = keys.contains { pair in
      do {
        return Base64URL.encode(try pair.key.sign(input)) == parts[2]
      } catch {
        return false
      }
    }
    return isOwn ? object(String(decoding: payload, as: UTF8.self)) : nil
  }
}
