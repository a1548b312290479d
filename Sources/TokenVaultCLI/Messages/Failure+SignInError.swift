import TokenVaultSignIn
import TokenVaultModel

// MARK: Signing in

extension Failure {
  init(_ error: SignInError) {
    switch error {
    case .invalidAuthority:
      self.init(
        .usage,
        "The authority is not an https URL of a kind that is known, such as "
          + "https://login.microsoftonline.com/common or an OpenID Connect issuer.",
        next: "tokenvault sign-in --help")
    case .unsupportedAuthority:
      self.init(
        .usage,
        "AD FS is not supported; sign in through the Microsoft Entra tenant that it is federated "
          + "with.", next: "tokenvault sign-in --help")
    case .invalidRedirectURI:
      self.init(
        .usage,
        "The redirect URI is neither http://127.0.0.1, http://[::1] or http://localhost nor a "
          + "private scheme with a dot in it.", next: "tokenvault sign-in --help")
    case .invalidRequest(let parameter):
      self.init(.usage, "The \(parameter.rawValue) cannot be sent as it is.")
    case .badDiscovery(let fault):
      self.init(
        .provider, "The provider's description of itself cannot be used: \(Self.text(fault)).")
    case .notOffered(let feature):
      self.init(.provider, "The provider does not offer \(feature.rawValue).")
    case .redirectUnavailable(let errno):
      self.init(
        .cannotCreate, "Nothing can listen for the browser's answer: \(Self.reason(errno)).",
        next: "tokenvault sign-in --device-code")
    case .sessionAlreadyRunning:
      self.init(.busy, "Another sign-in waits for the same answer; end it first.")
    case .timedOut:
      self.init(
        .signInNeeded, "Nobody signed in in time; nothing was stored.",
        next: "the same command again")
    case .cancelled:
      self.init(.interrupted, "Cancelled; nothing was stored.")
    case .userCancelled:
      self.init(.provider, "The sign-in was declined at the provider; nothing was stored.")
    case .stateMismatch:
      self.init(
        .provider,
        "The answer that came does not belong to this sign-in (state); nothing was stored.")
    case .issuerMismatch:
      self.init(
        .provider,
        "The answer that came is from another provider than the one asked (iss); nothing was stored."
      )
    case .badRedirect:
      self.init(.provider, "The answer that came through the browser is no answer of a provider.")
    case .passwordResetRequested:
      self.init(
        .provider, "The user wants to reset the password: sign in with the policy for that.")
    case .policyCancelled:
      self.init(.provider, "The user left the policy's page; nothing was stored.")
    case .transport(let error): self.init(error)
    case .provider(let error): self.init(.provider, "The provider refused: \(Self.text(error)).")
    case .deviceCodeExpired:
      self.init(
        .signInNeeded, "The code ended before anybody used it; nothing was stored.",
        next: "the same command again")
    case .badAnswer(let fault):
      self.init(.provider, "The provider's answer cannot be used: \(Self.text(fault)).")
    case .idToken(let fault):
      self.init(
        .provider,
        "The provider's ID token does not hold (\(fault.rawValue)); nothing was stored.")
    case .declinedScopes(_, let declined):
      self.init(
        .provider,
        "The provider did not grant "
          + declined.map(PlainText.escaped).joined(separator: ", ") + "; what it granted is stored."
      )
    case .cryptography: self.init(.unexpected, "OpenSSL gave no random bytes or no digest.")
    case .mismatchedUser:
      self.init(
        .provider, "Another person signed in than the account asked for; nothing was stored.")
    case .throttled(let until, _):
      self.init(
        .unreachable,
        "The provider failed or asked for quiet a moment ago, and is not asked again before "
          + "\(Timestamp(epochSeconds: until).iso8601).")
    }
  }

  private init(_ error: TransportError) {
    switch error {
    case .unknownHost(let host):
      self.init(.unreachable, "The host \(Self.quoted(host)) is not known here.")
    case .refused(let host), .unreachable(let host):
      self.init(.unreachable, "Nobody answers at \(Self.quoted(host)).")
    case .unreachableProxy:
      self.init(.unreachable, "The proxy of https_proxy cannot be reached.")
    case .untrusted(let host):
      self.init(
        .unreachable,
        "The certificate of \(Self.quoted(host)) is not trusted here, or is for another host.")
    case .noTLS(let host):
      self.init(.unreachable, "No TLS connection to \(Self.quoted(host)) came about.")
    case .badCertificateFile(let path):
      self.init(
        .configuration, "The certificates of SSL_CERT_FILE cannot be read: \(Self.path(path)).")
    case .timedOut(let host):
      self.init(.unreachable, "\(Self.quoted(host)) did not answer in time.")
    case .tooLarge(let limit):
      self.init(.provider, "The answer has more than \(limit) bytes.")
    case .notHTTP(let host):
      self.init(.provider, "What \(Self.quoted(host)) answered is not HTTP.")
    case .notConfidential(let host):
      self.init(
        .usage,
        "\(Self.quoted(host)) would be reached without TLS; tokens are sent to https only.")
    case .cancelled: self.init(.interrupted, "Cancelled.")
    case .noLibrary:
      self.init(
        .unreachable, "libcurl is not installed, which carries what goes to providers.",
        next: "sudo apt-get install libcurl4")
    case .other(let code):
      self.init(.unreachable, "The exchange failed (libcurl \(code)).")
    }
  }

  private static func text(_ fault: SignInError.DiscoveryFault) -> String {
    switch fault {
    case .status(let status): "it answered with the status \(status)"
    case .notJSON: "it is not a JSON object"
    case .field(let field): "the field \(quoted(field)) is missing or is not what it must be"
    case .issuer: "it is of another issuer than the one asked"
    case .endpoint(let field): "the address in \(quoted(field)) is not https, or is elsewhere"
    }
  }

  private static func text(_ fault: SignInError.AnswerFault) -> String {
    switch fault {
    case .notJSON(let status): "it is not a JSON object (status \(status))"
    case .field(let field): "the field \(quoted(field)) is missing or is not what it must be"
    case .tokenType: "its token type is not one that is understood"
    case .redirect: "it is a redirect"
    case .nobody: "it does not say who signed in"
    }
  }

  /// The code with what the provider says about it, which may come from anywhere.
  static func text(_ error: OAuthError) -> String {
    var text = PlainText.escaped(error.code)
    if !error.suberror.isEmpty { text += " (\(PlainText.escaped(error.suberror)))" }
    if !error.text.isEmpty { text += ": " + PlainText.escaped(error.text) }
    while text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
