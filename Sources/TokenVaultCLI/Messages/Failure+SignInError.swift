import Glibc
import TokenVaultSignIn
import TokenVaultModel

// MARK: Signing in

extension Failure {
  init(_ error: SignInError) {
    switch error {
    case .invalidAuthority:
      self.init(
        .usage,
        "The authority is not an https URL of a known kind, such as "
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
          + "private-use scheme that contains a dot.", next: "tokenvault sign-in --help")
    case .invalidRequest(let parameter):
      self.init(usage: "The \(parameter.rawValue) is not valid\(Self.hint(parameter)).")
    case .badDiscovery(.status(let status)) where Self.isOutage(status):
      self.init(.unreachable, Self.unavailable(status), next: Self.again("later"))
    case .badDiscovery(.notJSON):
      self.init(.unreachable, Self.foreignPage(nil), next: Self.again("later"))
    case .badDiscovery(.status(let status)):
      let guess = [400, 404, 410].contains(status) ? ": the authority is probably misspelt" : ""
      self.init(
        .provider, "\(LastRequest.discovery) answered \(status)\(guess). Nothing was stored.",
        next: Self.again("later"))
    case .badDiscovery(let fault):
      self.init(
        .provider,
        "The provider's discovery document cannot be used: \(Self.text(fault)). Nothing was changed.",
        next: Self.again("with another URL of the provider"))
    case .notOffered(let feature):

      self.init(
        .provider, "The provider does not offer \(feature.rawValue). Nothing was stored.",
        next: "tokenvault sign-in --help")
    case .redirectUnavailable(let errno):
      self.init(
        .cannotCreate,
        "Cannot listen for the browser's redirect: \(Self.reason(errno)). Nothing was stored.",
        next: "tokenvault sign-in --device-code")
    case .clientsUnknown(let errno):
      self.init(
        .cannotCreate,
        "The kernel does not say which user connects to the sign-in (\(Self.reason(errno))), so no "
          + "response through the browser can be accepted. Nothing was stored.",
        next: "tokenvault sign-in --device-code")
    case .redirectSchemeNotRegistered(let scheme):
      self.init(
        .cannotCreate,
        "No program is registered for URLs of the scheme \(PlainText.escaped(scheme)), so the "
          + "response could not be delivered. Nothing was stored.",
        next: "tokenvault sign-in --device-code")
    case .sessionAlreadyRunning:
      self.init(
        .busy, "Another sign-in is waiting for the same redirect; nothing was changed.",
        next: Self.again("after you finish or cancel the other one"))
    case .timedOut:
      self.init(
        .signInNeeded, "The sign-in was not finished in time; nothing was stored.",
        next: Self.again())
    case .cancelled:
      self.init(.interrupted, "Cancelled; nothing was stored.", next: Self.again())
    case .userCancelled:

      self.init(
        .provider, "The sign-in was declined at the provider; nothing was stored.",
        next: Self.again())
    case .stateMismatch:
      self.init(
        .signInNeeded,
        "Not finished in time. A response arrived, but it was for another sign-in; nothing was "
          + "stored.", next: Self.again())
    case .browserRefused:
      self.init(
        .signInNeeded,
        "Not finished in time. A request of another user of this machine was refused; it may have come "
          + "from your browser, as from one of Windows or behind a port forwarder. Nothing was "
          + "stored.", next: "tokenvault sign-in --device-code")
    case .issuerMismatch:
      self.init(
        .provider,
        "The response is from a different provider (iss does not match); nothing was stored.",
        next: Self.again())
    case .badRedirect:

      self.init(
        .provider,
        "The browser brought back a URL that is not a provider's response. Nothing was stored.",
        next: Self.again())
    case .passwordResetRequested:
      self.init(
        .provider,
        "The user asked to reset the password. Nothing was stored.",
        next: Self.again("with the --authority of the policy for password reset"))
    case .policyCancelled:

      self.init(
        .provider, "The user left the policy's page; nothing was stored.", next: Self.again())
    case .transport(let error): self.init(error)
    case .provider(let error) where Self.isOutage(error.status):
      self.init(
        .unreachable, Self.unavailable(error.status, ": \(Self.text(error))"),
        next: Self.again("later"))
    case .provider(let error):
      self.init(
        .provider,
        "The provider refused the request: \(Self.text(error)). Stored tokens are unchanged."
          + Self.trace(error), next: "tokenvault sign-in --help")
    case .adminConsentRequired(let page, let error):
      self.init(
        .provider,
        "An administrator of the organization has to consent to this application first "
          + "(\(Self.text(error))). Nothing was stored. An administrator can open this page, or run the "
          + "next command:\n  \(page)", next: Self.adminConsent(page))
    case .deviceCodeExpired:
      self.init(
        .signInNeeded, "The code expired before it was used; nothing was stored.",
        next: Self.again())
    case .badAnswer(.notJSON(let status)) where Self.isOutage(status):
      self.init(.unreachable, Self.unavailable(status), next: Self.again("later"))
    case .badAnswer(.notJSON(let status)) where ![400, 401].contains(status):
      self.init(.unreachable, Self.foreignPage(status), next: Self.again("later"))
    case .badAnswer(let fault):
      self.init(
        .provider,
        "The provider's response cannot be used: \(Self.text(fault)). Stored tokens are unchanged.",
        next: Self.again("later"))
    case .idToken(.keysUnavailable):
      self.init(
        .unreachable,
        "The provider's keys cannot be fetched, so its response was not verified; its tokens are "
          + "not used.", next: Self.again("later"))
    case .idToken(let fault):
      let isAboutTime = [.issuedInFuture, .expired, .notYetValid].contains(fault)
      let hint = isAboutTime ? " Check this machine's clock." : ""
      self.init(
        .provider,
        "The provider's ID token is not valid (\(Self.text(fault))); nothing was stored.\(hint)",
        next: Self.again())
    case .declinedScopes(_, let declined):
      self.init(
        .provider,
        "The provider did not grant "
          + declined.map(PlainText.escaped).joined(separator: ", ")
          + "; the token for the granted scopes is stored.",
        next: "tokenvault status")
    case .cryptography:

      self.init(
        .unexpected,
        "OpenSSL could not produce random bytes, a digest or a signature. Nothing was stored.",
        next: Self.doctor)
    case .issuedElsewhere(let issuer, let requested):
      self.init(
        .signInNeeded,
        "The account's refresh token was issued by \(PlainText.escaped(issuer)), and this request is "
          + "for \(PlainText.escaped(requested)). It was not sent, and is kept.",
        next: "tokenvault sign-in --client-id ID --authority \(PlainText.shellWord(issuer))")
    case .hostNotAllowed(let host, let allowed):
      let hosts = allowed.map(PlainText.escaped).joined(separator: ", ")
      self.init(
        .refused,
        "The account's token may be sent to \(hosts) only. Nothing was sent to "
          + "\(PlainText.escaped(host)).", next: Self.again("with a URL of one of these hosts"))
    case .providerNotDescribed(let file, let host):
      let directory = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
      self.init(
        .refused,
        "\(Self.quoted(file)) described the account's provider and the hosts for its token, and does "
          + "not do so any more. Nothing was sent to \(PlainText.escaped(host)). Put the file back.",
        next: "ls -l \(PlainText.shellWord(directory))")
    case .mismatchedUser:
      self.init(
        .provider, "A different user signed in than the one requested; nothing was stored.",
        next: Self.again("and choose the requested user"))
    case .throttled(let until, let asked):
      let rest = "\(max(1, until - Int64(time(nil)))) s"
      let reason = asked == nil ? "failed a moment ago" : "asked us to wait"
      self.init(
        .unreachable, "The provider \(reason); try again in \(rest). Stored tokens are unchanged.",
        next: Self.again("in \(rest)"))
    }
  }

  /// - Parameter end: the end of the stored token that still works; nil for none.
  init(outage error: SignInError, storedTokenEnds end: Timestamp?) {
    let failure = Failure(error)
    var message = failure.message
    if error == .idToken(.keysUnavailable) { message += " The refresh token was kept." }
    message +=
      end.map { " The stored token still works until \($0.iso8601)." }
      ?? " There is no stored token that still works."
    if case .provider(let answer) = error { message += Self.trace(answer) }
    self.init(
      .unreachable, message,
      next: (error.isThrottled ? failure.next : nil) ?? Self.again("later"), code: error.code)
  }

  /// The command that opens the page on which an administrator consents.
  private static func adminConsent(_ page: HTTPURL) -> String {
    var words = ["tokenvault", "sign-in", "--admin-consent"]
    let parameters = page.query.flatMap(FormParameters.init(encoded:))
    func add(_ option: String, _ value: String?) {
      if let value, !value.isEmpty { words += [option, PlainText.shellWord(value)] }
    }
    add("--client-id", parameters?["client_id"])
    add("--authority", "\(page.origin)/\(page.segments.first ?? "organizations")/v2.0")
    for scope in ScopeSet(target: parameters?["scope"] ?? "").scopes { add("--scope", scope) }
    return words.joined(separator: " ")
  }

  private static func isOutage(_ status: Int) -> Bool { status >= 500 || status == 429 }

  private static func unavailable(_ status: Int, _ detail: String = "") -> String {
    status == 429
      ? "The provider is rate-limiting requests: \(LastRequest.text) answered 429\(detail). Stored tokens are "
        + "unchanged."
      : "The provider is unavailable: \(LastRequest.text) answered \(status)\(detail). Stored tokens "
        + "are unchanged."
  }

  /// - Parameter status: the status of the response; nil if it is not known.
  private static func foreignPage(_ status: Int?) -> String {
    "\(LastRequest.text) answered\(status.map { " \($0)" } ?? ""), but not with an OAuth response. "
      + "A proxy or a captive portal may have sent it. Stored tokens are unchanged."
  }

  private static func hint(_ parameter: SignInError.Parameter) -> String {
    switch parameter {
    case .url:
      ": write https://HOST/PATH, without user name, fragment, spaces or non-ASCII characters"
    case .header:
      ": write 'Name: value'; Authorization, Proxy-Authorization, Host, Cookie, Connection, "
        + "Content-Length and Transfer-Encoding cannot be set"
    case .method: ": use up to 32 letters, as in GET"
    case .scope, .claims, .capability, .clientID, .extraParameter, .account, .tenant: ""
    }
  }

  private static func text(_ fault: SignInError.DiscoveryFault) -> String {
    switch fault {
    case .status(let status): "it answered \(status)"
    case .notJSON: "it is not a JSON object"
    case .field(let field): "the field \(quoted(field)) is missing or not valid"
    case .issuer: "its issuer differs from the authority"
    case .endpoint(let field): "the URL in \(quoted(field)) is not https, or is on another host"
    }
  }

  private static func text(_ fault: SignInError.AnswerFault) -> String {
    switch fault {
    case .notJSON(let status):
      "\(LastRequest.text) answered \(status) without an OAuth error. A proxy or a captive portal "
        + "may have sent it"
    case .field(let field): "the field \(quoted(field)) is missing or not valid"
    case .tokenType: "its token type is not supported"
    case .redirect: "it is a redirect"
    case .nobody: "it does not identify the user"
    }
  }

  private static func text(_ fault: SignInError.IDTokenFault) -> String {
    switch fault {
    case .notAToken: "it is not a signed JSON Web Token"
    case .algorithm: "its signature algorithm is not allowed"
    case .key: "no key of the provider fits"
    case .signature: "the signature does not match"
    case .issuer: "the issuer does not match"
    case .audience: "the audience does not match"
    case .authorizedParty: "the authorized party does not match"
    case .expired: "it has expired"
    case .issuedInFuture: "it was issued in the future"
    case .notYetValid: "it is not valid yet"
    case .nonce: "nonce does not match"
    case .accessTokenHash: "it is for another access token"
    case .subject: "the subject does not match"
    case .keysUnavailable: "the keys of the provider are not available"
    }
  }

  /// The error code with the provider's own description, which may contain anything.
  static func text(_ error: OAuthError) -> String {
    var text = PlainText.escaped(error.code)
    if !error.suberror.isEmpty { text += " (\(PlainText.escaped(error.suberror)))" }
    let description = parts(error).description
    if !description.isEmpty { text += ": " + PlainText.escaped(description) }
    while text.hasSuffix(".") || text.hasSuffix(" ") { text.removeLast() }
    return text
  }

  /// The ids by which the provider's support finds the request, as a line of their own; empty for
  /// none.
  static func trace(_ error: OAuthError) -> String {
    let trace = parts(error).trace
    return trace.isEmpty ? "" : "\n  " + PlainText.escaped(trace)
  }

  /// Microsoft Entra appends the ids to the description.
  private static func parts(_ error: OAuthError) -> (description: String, trace: String) {
    guard let start = error.text.firstRange(of: "Trace ID: ")?.lowerBound else {
      return (error.text, "")
    }
    return (String(error.text[..<start]), String(error.text[start...]))
  }
}
