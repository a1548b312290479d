import Foundation

/// The end session endpoint (OpenID Connect RP-Initiated Logout 1.0).
extension Provider {
  mutating func logout(_ request: Request) -> Reply {
    guard let parameters = request.method == "POST" ? request.form : request.query,
      !parameters.hasRepeats
    else { return .page("Sorry", "<p id=\"error\">The request is malformed.</p>", status: 400) }
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
      return .redirect(target, FormFields(["state": parameters["state"]]))
    }
    return .page("You signed out", "<p id=\"signed-out\">You signed out of your account.</p>")
  }

  /// The claims of an ID token that this provider signed; nil for other texts.
  private func ownClaims(_ token: String) -> JSON? {
    let parts = token.split(separator: ".").map(String.init)
    guard parts.count == 3, let payload = Data(base64URL: parts[1]) else { return nil }
    let input = "\(parts[0]).\(parts[1])"
    return keys.contains { $0.hasSigned(input, signature: parts[2]) }
      ? object(String(decoding: payload, as: UTF8.self)) : nil
  }
}
