import TokenVaultCrypto
package import TokenVaultModel
package import TokenVaultSignIn

extension Acquisition {
  /// Calls an API. A redirect is returned like any other response, because the token is for this
  /// address only.
  ///
  /// A response that requests claims is answered once, by a token with those claims.
  package func call(
    _ request: APIRequest, of reference: AccountReference
  ) throws(VaultError) -> HTTPResponse {
    defer { report(.finished) }
    var caller = try Caller(request, reference, self)
    return try caller.send(request.address)
  }

  /// Calls an API that returns a collection in pages (OData's `@odata.nextLink`), up to the last
  /// page.
  /// - Parameters:
  ///   - request: The request for the first page.
  ///   - reference: The account whose token is sent.
  /// - Returns: The elements of every page's `value`, or the unchanged response if one is not a
  ///   page.
  /// - Throws: ``SignInError/badAnswer(_:)`` if a page is at another origin, which would receive
  ///   the token.
  package func pages(
    _ request: APIRequest, of reference: AccountReference
  ) throws(VaultError) -> Pages {
    defer { report(.finished) }
    var caller = try Caller(request, reference, self)
    var elements: [JSONValue] = []
    var (next, left) = (request.address, 4 * APIRequest.answerLimit)
    for _ in 0..<APIRequest.pageLimit {
      let response = try caller.send(next)
      guard (200..<300).contains(response.status) else { return .other(response) }
      left -= response.body.count
      guard left >= 0 else {
        throw .signIn(.transport(.tooLarge(limit: 4 * APIRequest.answerLimit)))
      }
      let page: JSONValue
      do { page = try JSONValue(parsing: response.body) } catch {
        throw .signIn(.badAnswer(.notJSON(status: response.status)))
      }
      guard let value = page["value"]?.elements else { throw .signIn(.badAnswer(.field("value"))) }
      elements += value
      guard let link = page["@odata.nextLink"] else { return .all(elements) }
      guard let text = link.text, let address = HTTPURL(text),
        address.origin == request.address.origin
      else { throw .signIn(.badAnswer(.field("@odata.nextLink"))) }
      next = address
    }
    throw .signIn(.badAnswer(.field("@odata.nextLink")))
  }

  /// The request for an API's token. If the caller names neither scopes nor a resource, Microsoft's
  /// providers issue a token for the API's origin. Other providers have no such scope: there the
  /// account's stored token is used. A stored secret has no scopes.
  package func tokenRequest(
    for request: APIRequest, of reference: AccountReference
  ) throws(VaultError) -> TokenRequest {
    var token = request.token
    guard token.scopes.isEmpty, token.resource == nil else { return token }
    let type = try session.account(reference).authorityType
    guard type != .oidc, type != .secret else { return token }
    token.resource = request.address.origin
    return token
  }

  /// Throws if the provider's description does not allow its tokens to be sent to a URL.
  /// - Throws: ``SignInError/hostNotAllowed(host:allowed:)``, or
  ///   ``SignInError/providerNotDescribed(file:host:)``.
  fileprivate func requireHost(
    of address: HTTPURL, for token: TokenResult
  ) throws(VaultError) {
    guard token.account.authorityType == .oidc else { return }
    for provider in try session.providers(ofTokensOf: token.account, for: address)
    where !provider.allows(address) {
      throw .signIn(
        .hostNotAllowed(host: address.origin, allowed: provider.apiHosts ?? []))
    }
  }

  /// The result of reading a collection.
  package enum Pages: Sendable {
    case all([JSONValue])
    /// A redirect or an error.
    case other(HTTPResponse)
  }

  /// One token and the requests that it is sent with.
  private struct Caller {
    let request: APIRequest
    let reference: AccountReference
    let acquisition: Acquisition
    var token: TokenResult
    /// The service of a stored secret; nil for the token of a provider.
    var service: ServiceCall?
    var mayAnswerChallenge = true

    init(
      _ request: APIRequest, _ reference: AccountReference, _ acquisition: Acquisition
    ) throws(VaultError) {
      var request = request
      request.token = try acquisition.tokenRequest(for: request, of: reference)
      self.request = request
      self.reference = reference
      self.acquisition = acquisition
      token = try acquisition.silent(request.token, of: reference, request.silent)
      service = try ServiceCall(token, preferring: request.authentication)
      guard service == nil else { return }
      let type = request.silent.isBound ? "pop" : "bearer"
      guard token.tokenType.lowercased() == type else {
        throw .signIn(.badAnswer(.tokenType))
      }
    }

    mutating func send(_ address: HTTPURL) throws(VaultError) -> HTTPResponse {
      let response = try exchange(address)
      if let service {
        guard mayAnswerChallenge, let other = service.answering(response) else { return response }
        mayAnswerChallenge = false
        self.service = other
        return try exchange(address)
      }
      guard mayAnswerChallenge, let claims = ClaimsChallenge.claims(in: response) else {
        return response
      }
      mayAnswerChallenge = false
      var options = request.silent
      options.claims = claims
      token = try acquisition.silent(request.token, of: reference, options)
      return try exchange(address)
    }

    private func exchange(_ address: HTTPURL) throws(VaultError) -> HTTPResponse {
      let header: Redacted<String>
      if let service {
        header = try service.header(for: address)
      } else {
        try acquisition.requireHost(of: address, for: token)
        header = try acquisition.header(
          token, client: request.token.clientID, request.method, address)
      }
      var headers = [("Authorization", header.reveal())] + request.headers
      if !request.has(header: "accept") { headers.append(("Accept", "application/json, */*")) }
      do {
        return try acquisition.platform.transport.send(
          HTTPRequest(
            method: request.method, address, headers: headers, body: request.body,
            deadlineMilliseconds: request.deadlineMilliseconds, answerLimit: APIRequest.answerLimit),
          acquisition.cancellation)
      } catch { throw .signIn(.transport(error)) }
    }
  }
}
