public import TokenVaultSignIn
import TokenVaultCrypto
public import TokenVaultModel

/// A call of an API with an account's token.
public struct APIRequest: Sendable {
  /// The method, in capitals.
  public let method: String
  /// The only place that the token goes to.
  public let address: HTTPURL
  /// The fields that were added.
  public private(set) var headers: [(name: String, value: String)] = []
  /// The body; nil for none.
  public var body: [UInt8]?
  /// The scopes the token must have; empty for a token for the address's origin.
  public var scopes: ScopeSet {
    get { token.scopes }
    set { token.scopes = newValue }
  }
  /// Which token it goes out with; without scopes and resource, one for the address's origin.
  package var token = TokenRequest(scopes: ScopeSet([]))
  package var silent = SilentOptions()

  /// The most of one answer: 64 MiB.
  static let answerLimit = 64 << 20
  /// The most pages of one collection.
  static let pageLimit = 1000

  /// A call without a body.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for what is no method or no http or https URL;
  ///   ``SignInError/transport(_:)`` `notConfidential` where a token could be read on its way.
  public init(_ method: String, _ url: String) throws(SignInError) {
    guard !method.isEmpty, method.utf8.count <= 32,
      method.utf8.allSatisfy({ (0x61...0x7a).contains($0 | 0x20) })
    else { throw .invalidRequest(.method) }
    guard let address = HTTPURL(url) else { throw .invalidRequest(.url) }
    guard address.isConfidential else { throw .transport(.notConfidential(host: address.host)) }
    self.method = method.uppercased()
    self.address = address
  }

  /// Adds a header field, as `Name: value`.
  /// - Throws: ``SignInError/invalidRequest(_:)`` for anything else, and for those fields that say
  ///   who asks or how the message is cut: another token than the account's is not sent.
  public mutating func add(header line: String) throws(SignInError) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { throw .invalidRequest(.header) }
    let name = String(parts[0])
    let value = String(parts[1].drop { $0 == " " })
    let own = [
      "authorization", "proxy-authorization", "host", "content-length", "transfer-encoding",
      "connection", "cookie",
    ]
    guard !name.isEmpty, !own.contains(name.lowercased()),
      name.utf8.allSatisfy({
        (0x61...0x7a).contains($0 | 0x20) || (0x30...0x39).contains($0) || "-_".utf8.contains($0)
      }), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else { throw .invalidRequest(.header) }
    headers.append((name, value))
  }

  func has(header name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
}

extension Acquisition {
  /// Calls an API. A redirect is an answer like any other: the token is for this address only.
  ///
  /// An answer that asks for claims is met once, by a token with them.
  package func call(
    _ request: APIRequest, of choice: AccountChoice
  ) throws(VaultError) -> HTTPResponse {
    defer { report(.finished) }
    var caller = try Caller(request, choice, self)
    return try caller.send(request.address)
  }

  /// Calls an API that answers in pages (OData's `@odata.nextLink`), to the last one.
  /// - Returns: the elements of every page's `value`; or the answer that is no page, as it came.
  /// - Throws: a page of another origin is ``SignInError/badAnswer(_:)``: the token would go there.
  package func pages(
    _ request: APIRequest, of choice: AccountChoice
  ) throws(VaultError) -> Pages {
    defer { report(.finished) }
    var caller = try Caller(request, choice, self)
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

  /// What a collection came to.
  package enum Pages: Sendable {
    case all([JSONValue])
    /// A redirect or an error.
    case other(HTTPResponse)
  }

  /// One token and what it is used for.
  private struct Caller {
    let request: APIRequest
    let choice: AccountChoice
    let acquisition: Acquisition
    var token: TokenResult
    var mayAnswerChallenge = true

    init(
      _ request: APIRequest, _ choice: AccountChoice, _ acquisition: Acquisition
    ) throws(VaultError) {
      var request = request
      if request.token.scopes.isEmpty, request.token.resource == nil {
        request.token.resource = request.address.origin
      }
      self.request = request
      self.choice = choice
      self.acquisition = acquisition
      token = try acquisition.silent(request.token, of: choice, request.silent)
      // A stored password is its own service's.
      guard token.tokenType.lowercased() == "bearer" else {
        throw .signIn(.badAnswer(.tokenType))
      }
    }

    mutating func send(_ address: HTTPURL) throws(VaultError) -> HTTPResponse {
      let response = try exchange(address)
      guard mayAnswerChallenge, let claims = ClaimsChallenge.claims(in: response) else {
        return response
      }
      mayAnswerChallenge = false
      var options = request.silent
      options.claims = claims
      token = try acquisition.silent(request.token, of: choice, options)
      return try exchange(address)
    }

    private func exchange(_ address: HTTPURL) throws(VaultError) -> HTTPResponse {
      let secret = String(decoding: token.accessToken.reveal(), as: UTF8.self)
      var headers = [("Authorization", "Bearer \(secret)")] + request.headers
      if !request.has(header: "accept") { headers.append(("Accept", "application/json, */*")) }
      do {
        return try acquisition.platform.transport.send(
          HTTPRequest(
            method: request.method, address, headers: headers, body: request.body,
            deadlineMilliseconds: 120_000, answerLimit: APIRequest.answerLimit),
          acquisition.cancellation)
      } catch { throw .signIn(.transport(error)) }
    }
  }
}
