package import TokenVaultCrypto
package import TokenVaultModel

/// The requests of one application to one provider's endpoints.
package struct TokenEndpoint: Sendable {
  package let application: ApplicationConfiguration
  package let metadata: ProviderMetadata
  package let transport: any BlockingTransport
  package let cancellation: Cancellation
  /// Identifies the request in the provider's logs.
  package let correlationID: String

  package init(
    _ application: ApplicationConfiguration, at metadata: ProviderMetadata,
    transport: any BlockingTransport, correlationID: String, _ cancellation: Cancellation
  ) {
    self.application = application
    self.metadata = metadata
    self.transport = transport
    self.correlationID = correlationID
    self.cancellation = cancellation
  }

  /// The same endpoint for requests that may end with new tokens. A time limit does not end them:
  /// the provider has issued the tokens before its response arrives, and only the response says
  /// which. A cancellation takes effect three seconds later.
  package var completing: TokenEndpoint {
    TokenEndpoint(
      application, at: metadata, transport: transport, correlationID: correlationID,
      Cancellation(
        following: cancellation.withoutLimit, delayMilliseconds: Self.graceMilliseconds))
  }

  /// The `scope` parameter: the wanted scopes, and those for an ID token and a refresh token.
  /// Nil for none: a provider without ID tokens gets no other scopes than the wanted ones.
  package func scopes(_ wanted: ScopeSet) -> String? {
    guard metadata.hasIDTokens else { return wanted.isEmpty ? nil : wanted.description }
    let extra = ["openid", "profile"] + (metadata.supportsOfflineAccess ? ["offline_access"] : [])
    return ScopeSet(wanted.scopes + extra).description
  }

  /// Redeems an authorization code (RFC 6749 section 4.1.3) with its PKCE verifier (RFC 7636
  /// section 4.5).
  package func redeem(
    code: Redacted<String>, verifier: Redacted<String>, redirectURI: String,
    scopes wanted: ScopeSet,
    claims: ClaimsRequest?, extra: FormParameters
  ) throws(SignInError) -> HTTPResponse {
    try post(
      [
        "grant_type": "authorization_code", "code": code.reveal(), "redirect_uri": redirectURI,
        "code_verifier": verifier.reveal(), "scope": scopes(wanted),
      ], claims, extra)
  }

  /// Refreshes a token (RFC 6749 section 6), ``completing`` the request once it is sent: the provider
  /// may have revoked the old refresh token already, and its response contains the only valid one.
  package func refresh(
    _ token: Redacted<String>, scopes wanted: ScopeSet, claims: ClaimsRequest?,
    extra: FormParameters
  ) throws(SignInError) -> HTTPResponse {
    if cancellation.isCancelled { throw .cancelled }
    return try completing.post(
      [
        "grant_type": "refresh_token", "refresh_token": token.reveal(), "scope": scopes(wanted),
      ], claims, extra)
  }

  private static let graceMilliseconds: Int64 = 3_000

  /// Polls for the token of a device (RFC 8628 section 3.4).
  package func poll(
    _ device: DeviceAuthorization, extra: FormParameters = FormParameters()
  ) throws(SignInError) -> HTTPResponse {
    try post(
      [
        "grant_type": "urn:ietf:params:oauth:grant-type:device_code",
        "device_code": device.deviceCode.reveal(),
      ], nil, extra)
  }

  /// Requests a device code (RFC 8628 section 3.1).
  package func authorizeDevice(
    scopes wanted: ScopeSet, claims: ClaimsRequest?, extra: FormParameters
  ) throws(SignInError) -> DeviceAuthorization {
    guard let endpoint = metadata.deviceAuthorizationEndpoint else {
      throw .notOffered(.deviceCode)
    }
    let answer = try post(["scope": scopes(wanted)], claims, extra, to: endpoint)
    return try DeviceAuthorization(try TokenResponse.object(answer))
  }

  /// Revokes a token (RFC 7009 section 2.1).
  /// - Returns: false, without a request, if the provider offers no revocation.
  package func revoke(_ token: Redacted<String>, hint: String) throws(SignInError) -> Bool {
    guard let endpoint = metadata.revocationEndpoint else { return false }
    let answer = try post(
      ["token": token.reveal(), "token_type_hint": hint], nil, FormParameters(), to: endpoint)
    // Section 2.2: the status is 200 for an invalid token, too. Section 2.2.1 defines the errors.
    guard answer.status == 200 else {
      _ = try TokenResponse.object(answer)
      throw .badAnswer(.notJSON(status: answer.status))
    }
    return true
  }

  /// The claims of the user, from the userinfo endpoint (OIDC Core section 5.3), or from the user
  /// endpoint of a provider without ID tokens.
  /// - Throws: ``SignInError/badAnswer(_:)`` with `nobody` if the provider has no such endpoint, or
  ///   its response names no subject.
  package func userInfo(_ accessToken: Redacted<String>) throws(SignInError) -> IDToken {
    guard let endpoint = metadata.userInfoEndpoint else { throw .badAnswer(.nobody) }
    // The token goes to this address and to no other: redirects are not followed.
    let answer = try send(
      HTTPRequest(
        endpoint,
        headers: [
          ("Accept", "application/json"), ("Authorization", "Bearer \(accessToken.reveal())"),
        ],
        deadlineMilliseconds: application.requestTimeoutMilliseconds))
    if answer.status >= 500 || answer.status == 429 {
      throw .badAnswer(.notJSON(status: answer.status))
    }
    if let provider = metadata.provider, !provider.hasIDTokens {
      return try UserAnswer(answer, provider).claims(issuer: metadata.issuer)
    }
    // OIDC Core section 2: a subject has at most 255 ASCII characters.
    guard answer.status == 200, let claims = IDToken(claimsJSON: answer.body),
      let subject = claims.subject, subject.utf8.count <= 255
    else { throw .badAnswer(.nobody) }
    return claims
  }

  private func post(
    _ pairs: KeyValuePairs<String, String?>, _ claims: ClaimsRequest?, _ extra: FormParameters,
    to endpoint: HTTPURL? = nil
  ) throws(SignInError) -> HTTPResponse {
    var form = FormParameters(pairs)
    form.append("client_id", application.clientID)
    if endpoint == nil, let provider = metadata.provider,
      provider.clientID == application.clientID
    {
      form.append("client_secret", provider.clientSecret)
    }
    form.append(
      "claims", ClaimsRequest.merged(claims, capabilities: application.clientCapabilities))
    if metadata.authority.isMicrosoft { form.append("client_info", "1") }
    form.merge(extra)
    form.merge(FormParameters(sorted: application.extraParameters))
    var headers = [
      ("Accept", "application/json"), ("Content-Type", "application/x-www-form-urlencoded"),
    ]
    if metadata.authority.isMicrosoft {
      headers += [("client-request-id", correlationID), ("return-client-request-id", "true")]
    }
    return try send(
      HTTPRequest(
        method: "POST", endpoint ?? metadata.tokenEndpoint, headers: headers,
        body: Array(form.encoded.utf8),
        deadlineMilliseconds: application.requestTimeoutMilliseconds))
  }

  /// Retries only requests that cannot have reached the provider: one that rotates refresh tokens
  /// takes a token for stolen if it arrives twice (RFC 9700 section 4.14.2).
  private func send(_ request: HTTPRequest) throws(SignInError) -> HTTPResponse {
    var left = max(0, application.retryCount)
    while true {
      do { return try transport.exchange(request, cancellation) } catch {
        guard left > 0 else { throw error }
        switch error {
        case .transport(.unknownHost), .transport(.refused), .transport(.unreachableProxy):
          left -= 1
          try cancellation.wait(milliseconds: application.retryIntervalMilliseconds)
        default: throw error
        }
      }
    }
  }
}
