package import TokenVaultCrypto
import TokenVaultModel

/// One authorization request through the browser (RFC 6749 section 4.1, RFC 7636, RFC 9207): the
/// values that tie the response to the request, and the validation of the response.
package struct AuthorizationSession: Sendable {
  /// A validated response.
  package enum Answer: Sendable {
    case code(Redacted<String>)
    /// An administrator consented for this tenant.
    case consent(tenant: String)
    case failure(SignInError)
  }

  /// The page to open in the browser.
  package let address: HTTPURL
  package let verifier: Redacted<String>
  package let nonce: String
  package let redirectURI: String
  /// The page on which an administrator consents for the tenant; its response belongs to this
  /// session. Nil if the provider has none.
  package let adminConsentPage: HTTPURL?
  private let state: String
  private let adminConsent: AdminConsent
  private let metadata: ProviderMetadata
  /// The required Host field; nil for a custom scheme, which has none.
  private let host: String?
  private let path: String

  package init(
    _ request: InteractiveRequest, of endpoint: TokenEndpoint, redirectURI: String
  ) throws(SignInError) {
    metadata = endpoint.metadata
    guard let page = metadata.authorizationEndpoint else { throw .notOffered(.interactive) }
    guard !metadata.refusesS256 else { throw .notOffered(.pkce) }
    do {
      // RFC 7636 section 4.1 recommends 32 random bytes, which are 43 characters.
      verifier = Redacted(Base64URL.encode(try RandomBytes.make(32)))
      state = Base64URL.encode(try RandomBytes.make(32))
      nonce = Base64URL.encode(try RandomBytes.make(32))
    } catch { throw .cryptography }
    self.redirectURI = redirectURI
    let url = HTTPURL(redirectURI)
    host = url.map { String($0.origin.dropFirst("http://".count)) }
    // For a private-use scheme: the URI after the scheme (RFC 8252 section 7.1).
    path = url?.path ?? String(redirectURI.drop { $0 != ":" }.dropFirst())
    let all = ScopeSet(request.scopes.scopes + request.extraScopesToConsent.scopes)
    adminConsent = endpoint.adminConsent(all)
    adminConsentPage = endpoint.adminConsent(all, redirectURI: redirectURI).page(state: state)
    var parameters = FormParameters([
      "response_type": "code", "client_id": endpoint.application.clientID,
      "redirect_uri": redirectURI, "scope": endpoint.scopes(all), "state": state,
      "nonce": metadata.hasIDTokens ? nonce : nil,
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

  /// The meaning of a request to the listener.
  package enum Verdict: Sendable {
    /// The validated response of the provider, with the HTTP status to reply with.
    case answer(Answer, status: Int)
    /// The request does not belong to this sign-in, and the wait continues.
    case stray(StrayRequest)

    package var answer: Answer? { if case .answer(let answer, _) = self { answer } else { nil } }
  }

  /// Evaluates a request to the listener. Only a request with this sign-in's state ends the sign-in:
  /// any program or page on this machine can send another one.
  package func evaluate(_ request: RedirectRequest) -> Verdict {
    if request.isOfOtherUser { return .stray(.otherUser) }
    // DNS rebinding: a foreign page whose host name resolves to this machine sends its own name.
    if let host, request.host.lowercased() != host { return .stray(.host) }
    guard request.method == "GET" else { return .stray(.method) }
    guard request.path == path || (path.isEmpty && request.path == "/"), !request.query.isEmpty
    else { return .stray(.path) }
    guard !request.isPrefetch else { return .stray(.prefetch) }
    guard request.isNavigation else { return .stray(.embedded) }
    // Any program or page can send a request; only one with a state was meant for a sign-in.
    guard let parameters = FormParameters(encoded: request.query),
      parameters.pairs.contains(where: { $0.name == "state" })
    else { return .stray(.noState) }
    guard parameters.pairs.contains(where: { $0.name == "state" && isOwnState($0.value) })
    else { return .stray(.state) }
    guard !parameters.hasRepeats else { return .answer(.failure(.badRedirect), status: 400) }
    let answer = evaluate(parameters)
    if case .failure = answer { return .answer(answer, status: 400) }
    return .answer(answer, status: 200)
  }

  private func isOwnState(_ state: String) -> Bool {
    ConstantTime.equal(Array(state.utf8), Array(self.state.utf8))
  }

  private func evaluate(_ parameters: FormParameters) -> Answer {
    // A response about consent contains no code that could be from another issuer.
    if parameters["admin_consent"] != nil, parameters["code"] == nil {
      return consent(parameters)
    }
    guard isOwnIssuer(parameters["iss"]) else { return .failure(.issuerMismatch) }
    if let code = parameters["error"].flatMap(OAuthError.word) {
      return .failure(
        adminConsent.explained(Self.failure(code, parameters), isInteractive: true))
    }
    guard let code = parameters["code"], !code.isEmpty, parameters["error"] == nil else {
      return .failure(.badRedirect)
    }
    return .code(Redacted(code))
  }

  /// RFC 9207 section 2.4: an `iss` parameter must match the provider's issuer, and must be present
  /// if the provider announces it.
  private func isOwnIssuer(_ issuer: String?) -> Bool {
    guard let issuer else { return !metadata.sendsIssuer }
    // In a template, the tenant follows the text before the brace.
    let tenant = issuer.dropFirst(metadata.issuer.prefix { $0 != "{" }.count).prefix(36)
    return IssuerRule(metadata.issuer).allows(issuer, tenant: String(tenant))
  }

  private static func failure(_ code: String, _ parameters: FormParameters) -> SignInError {
    let text = parameters["error_description"].map(OAuthError.line) ?? ""
    // Azure AD B2C reports the button that the user pressed in the description.
    if text.contains("AADB2C90118") { return .passwordResetRequested }
    if text.contains("AADB2C90091") { return .policyCancelled }
    let error = OAuthError(code: code, parameters)
    // AADSTS65004: the user declined. Other numbers give a reason that is not the user's decision.
    if code == "access_denied", error.numbers.allSatisfy({ $0 == 65004 }) { return .userCancelled }
    return .provider(error)
  }

  private func consent(_ parameters: FormParameters) -> Answer {
    if let code = parameters["error"].flatMap(OAuthError.word) {
      let error = OAuthError(code: code, parameters)
      return .failure(
        adminConsent.page().map { .adminConsentRequired(page: $0, error) } ?? .provider(error))
    }
    guard parameters["admin_consent"]?.lowercased() == "true",
      let tenant = parameters["tenant"], GUID.isValid(tenant.utf8)
    else { return .failure(.badRedirect) }
    return .consent(tenant: tenant)
  }
}
