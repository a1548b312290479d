package import TokenVaultCrypto
public import TokenVaultModel

/// What the user is asked at the provider's page (`prompt` of OIDC Core section 3.1.2.1).
public enum Prompt: String, Hashable, Sendable, CaseIterable {
  /// Whatever the provider finds necessary; MSAL's default.
  case ifNecessary = ""
  /// Choose among the accounts the browser is signed in to.
  case selectAccount = "select_account"
  /// Enter the password again.
  case login
  /// Consent again.
  case consent
  /// Make an account.
  case create
}

/// An interactive request (MSAL's MSALInteractiveTokenParameters).
public struct InteractiveRequest: Hashable, Sendable {
  /// The scopes the token must have.
  public var scopes: ScopeSet
  /// What the user is asked.
  public var prompt = Prompt.ifNecessary
  /// A user name to begin with; who signs in may still be somebody else, and the result says who.
  public var loginHint = ""
  /// A domain that shortens the way to the right page.
  public var domainHint = ""
  /// Scopes to consent to in the same go, without a token for them.
  public var extraScopesToConsent = ScopeSet([])
  /// What should be in the tokens.
  public var claims: ClaimsRequest?
  /// Another authority than the application's.
  public var authority: Authority?
  /// Further parameters for both endpoints; none may replace one of the protocol's.
  public var extraParameters: [String: String] = [:]
  /// How the token is going to be shown.
  public var authenticationScheme = AuthenticationScheme.bearer
  /// The only account that will do: another one is ``SignInError/mismatchedUser``.
  public var account: HomeAccountID?
  /// For how long to wait for the user.
  public var deadlineMilliseconds = 300_000
  /// Names the request in the provider's logs; empty for a new UUID.
  public var correlationID = ""

  /// A request for scopes.
  public init(scopes: ScopeSet) { self.scopes = scopes }
}

/// One trip through the browser (RFC 6749 section 4.1, RFC 7636, RFC 9207): the values that tie
/// the answer to the question, and the judgement of what comes back.
package struct AuthorizationSession: Sendable {
  /// What an answer came to.
  package enum Answer: Sendable {
    case code(Redacted<String>)
    case failure(SignInError)
  }

  /// The page to send the browser to.
  package let address: HTTPURL
  package let verifier: Redacted<String>
  package let nonce: String
  package let redirectURI: String
  private let state: String
  private let metadata: ProviderMetadata
  /// What the Host field must say; nil for a custom scheme, which has none.
  private let host: String?
  private let path: String

  package init(
    _ request: InteractiveRequest, of endpoint: TokenEndpoint, redirectURI: String
  ) throws(SignInError) {
    metadata = endpoint.metadata
    guard let page = metadata.authorizationEndpoint else { throw .notOffered(.interactive) }
    guard !metadata.refusesS256 else { throw .notOffered(.pkce) }
    do {
      // RFC 7636 section 4.1: 32 random bytes make the 43 characters that it asks for.
      verifier = Redacted(Base64URL.encode(try RandomBytes.make(32)))
      state = Base64URL.encode(try RandomBytes.make(32))
      nonce = Base64URL.encode(try RandomBytes.make(32))
    } catch { throw .cryptography }
    self.redirectURI = redirectURI
    let own = HTTPURL(redirectURI)
    host = own.map { String($0.origin.dropFirst("http://".count)) }
    // Of a private scheme's URI the part behind the scheme (RFC 8252 section 7.1).
    path = own?.path ?? String(redirectURI.drop { $0 != ":" }.dropFirst())
    let all = ScopeSet(request.scopes.scopes + request.extraScopesToConsent.scopes)
    var parameters = FormParameters([
      "response_type": "code", "client_id": endpoint.application.clientID,
      "redirect_uri": redirectURI, "scope": endpoint.scopes(all), "state": state, "nonce": nonce,
      "code_challenge": try Self.challenge(verifier), "code_challenge_method": "S256",
    ])
    func add(_ name: String, _ value: String) {
      if !value.isEmpty { parameters.append(name, value) }
    }
    add("prompt", request.prompt.rawValue)
    add("login_hint", request.loginHint)
    add("domain_hint", request.domainHint)
    let claims = ClaimsRequest.merged(
      request.claims, capabilities: endpoint.application.clientCapabilities)
    add("claims", claims ?? "")
    if metadata.authority.isMicrosoft {
      parameters.append("response_mode", "query")
      parameters.append("client_info", "1")
      parameters.append("client-request-id", endpoint.correlationID)
    }
    parameters.merge(request.extra)
    parameters.merge(FormParameters(sorted: endpoint.application.extraParameters))
    address = page.adding(parameters)
  }

  /// The S256 challenge of a verifier (RFC 7636 section 4.2).
  package static func challenge(_ verifier: Redacted<String>) throws(SignInError) -> String {
    do { return Base64URL.encode(try Digest.sha256(Array(verifier.reveal().utf8))) } catch {
      throw .cryptography
    }
  }

  /// What a request to the listener is.
  /// - Returns: nil for one that is none of this sign-in's business; it gets the status beside it,
  ///   and the wait goes on.
  package func evaluate(_ request: RedirectRequest) -> (status: Int, answer: Answer?) {
    // DNS rebinding: a page of another host that leads to this port names that host.
    if let host, request.host.lowercased() != host { return (421, nil) }
    guard request.method == "GET" else { return (405, nil) }
    guard request.path == path || (path.isEmpty && request.path == "/") else { return (404, nil) }
    // Images and scripts of a foreign page do not navigate.
    guard request.fetchMode.isEmpty || request.fetchMode == "navigate" else { return (403, nil) }
    guard !request.query.isEmpty else { return (404, nil) }
    guard let parameters = FormParameters(encoded: request.query), !parameters.hasRepeats else {
      return (400, .failure(.badRedirect))
    }
    let answer = evaluate(parameters)
    if case .code = answer { return (200, answer) }
    return (400, answer)
  }

  private func evaluate(_ parameters: FormParameters) -> Answer {
    guard let state = parameters["state"],
      ConstantTime.equal(Array(state.utf8), Array(self.state.utf8))
    else { return .failure(.stateMismatch) }
    guard isOwnIssuer(parameters["iss"]) else { return .failure(.issuerMismatch) }
    if let code = parameters["error"].flatMap(OAuthError.word) {
      return .failure(Self.failure(code, parameters))
    }
    guard let code = parameters["code"], !code.isEmpty, parameters["error"] == nil else {
      return .failure(.badRedirect)
    }
    return .code(Redacted(code))
  }

  /// RFC 9207 section 2.4: an issuer that is named must be the one that was asked, and one that
  /// says that it names itself must do so.
  private func isOwnIssuer(_ issuer: String?) -> Bool {
    guard let issuer else { return !metadata.sendsIssuer }
    // Where the issuer is a template, the tenant stands behind what comes before the brace.
    let tenant = issuer.dropFirst(metadata.issuer.prefix { $0 != "{" }.count).prefix(36)
    return IssuerRule(metadata.issuer).allows(issuer, tenant: String(tenant))
  }

  private static func failure(_ code: String, _ parameters: FormParameters) -> SignInError {
    let text = parameters["error_description"].map(OAuthError.line) ?? ""
    // Azure AD B2C says in the description what the user pressed.
    if text.contains("AADB2C90118") { return .passwordResetRequested }
    if text.contains("AADB2C90091") { return .policyCancelled }
    if code == "access_denied" { return .userCancelled }
    return .provider(
      OAuthError(
        code: code, text: text,
        suberror: parameters["error_subcode"].flatMap(OAuthError.word) ?? ""))
  }
}

extension InteractiveRequest {
  /// ``extraParameters`` in a fixed order.
  package var extra: FormParameters { FormParameters(sorted: extraParameters) }
}
