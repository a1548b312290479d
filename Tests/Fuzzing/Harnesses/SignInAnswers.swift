import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// What a browser and a provider send during a sign-in. An input's first byte selects the parser.
enum SignInAnswers {
  static func redirects(_ input: [UInt8]) {
    choose(input, ["r": redirect, "q": query])
  }

  static func tokens(_ input: [UInt8]) {
    choose(
      input,
      ["t": tokenAnswer, "e": errorAnswer, "d": deviceAnswer, "c": claims, "w": challenge])
  }

  static func discovery(_ input: [UInt8]) {
    choose(
      input,
      ["m": metadata, "k": keys, "u": userAnswer, "p": providerFile, "a": address])
  }

  private static func choose(_ input: [UInt8], _ parsers: [Character: ([UInt8]) -> Void]) {
    guard let kind = input.first else { return }
    parsers[Character(Unicode.Scalar(kind))]?(Array(input.dropFirst()))
  }

  private static func redirect(_ bytes: [UInt8]) {
    switch RedirectRequest.read(bytes) {
    case .incomplete: precondition(bytes.count <= RedirectRequest.limit)
    case .malformed: return
    case .request(let request):
      precondition(request.path.hasPrefix("/"))
      precondition(!(request.path + request.query + request.host).utf8.contains(0))
      // A listener that has read more bytes decides the same.
      precondition(RedirectRequest.read(bytes + [0x58]) == .request(request))
      evaluate(request)
    }
  }

  private static func query(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    if let parameters = FormParameters(encoded: text) {
      precondition(FormParameters(encoded: parameters.encoded) == parameters)
    }
    evaluate(RedirectRequest(path: "/", query: text))
  }

  /// Without the state, no code is accepted.
  private static func evaluate(_ request: RedirectRequest) {
    guard let session else { return }
    if case .code = session.evaluate(request).answer { preconditionFailure("a forged answer") }
  }

  private static let session: AuthorizationSession? = {
    do {
      let authority = try Authority("https://login.example")
      let metadata = try ProviderMetadata(
        json: Array(
          #"""
          {"issuer":"https://login.example","token_endpoint":"https://login.example/token",
           "authorization_endpoint":"https://login.example/authorize"}
          """#.utf8), of: authority)
      let endpoint = TokenEndpoint(
        ApplicationConfiguration(clientID: "client", authority: authority), at: metadata,
        transport: Nowhere(), correlationID: "", Cancellation())
      return try AuthorizationSession(
        InteractiveRequest(scopes: ScopeSet(["a"])), of: endpoint,
        redirectURI: "msauth.example://auth")
    } catch { return nil }
  }()

  private static func tokenAnswer(_ bytes: [UInt8]) {
    do {
      let answer = try TokenResponse(HTTPResponse(status: 200, body: bytes))
      precondition(!answer.accessToken.reveal().isEmpty)
      precondition(answer.accessToken.reveal().utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
      precondition(answer.expiresIn >= 0)
    } catch { precondition(!"\(error)".isEmpty) }
  }

  /// Refusals: whatever the provider writes, a code fits on one line of a terminal.
  private static func errorAnswer(_ bytes: [UInt8]) {
    for status in [400, 401, 429, 503] {
      do {
        _ = try TokenResponse(HTTPResponse(status: status, body: bytes))
        preconditionFailure("tokens in a refusal")
      } catch SignInError.provider(let error) {
        precondition(error.code.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f })
      } catch { precondition(!"\(error)".isEmpty) }
    }
  }

  /// The header fields of a refusal.
  private static func challenge(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let response = HTTPResponse(
      status: 401, headers: [("WWW-Authenticate", text), ("Retry-After", text)])
    _ = ClaimsChallenge.claims(in: response)
    _ = ClaimsChallenge.schemes(in: response)
    let wait = response.retryAfter(now: Timestamp(epochSeconds: 1_700_000_000))
    precondition(wait ?? 0 >= 0)
  }

  /// A key from a document that anyone may have written verifies no made-up signature.
  private static func keys(_ bytes: [UInt8]) {
    do {
      let set = try JWKSet(bytes)
      for algorithm in SignatureAlgorithm.allCases {
        for key in set.keys(named: nil, for: algorithm, issuedBy: nil, tenant: nil).prefix(4) {
          let isValid = try key.verifies([UInt8](repeating: 1, count: 64), of: [1], by: algorithm)
          precondition(!isValid)
        }
      }
    } catch { precondition(!"\(error)".isEmpty) }
  }

  private static func deviceAnswer(_ bytes: [UInt8]) {
    do {
      let value = try JSONValue(parsing: bytes)
      let device = try DeviceAuthorization(value)
      precondition(HTTPURL(device.code.verificationURI)?.isConfidential == true)
      precondition(device.interval > 0)
    } catch { precondition(!"\(error)".isEmpty) }
  }

  private static func metadata(_ bytes: [UInt8]) {
    do {
      let authority = try Authority("https://login.example/tenant")
      let metadata = try ProviderMetadata(json: bytes, of: authority)
      precondition(metadata.tokenEndpoint.scheme == "https")
      precondition(
        ["https://login.example/tenant", "https://login.example/tenant/"].contains(metadata.issuer))
    } catch { precondition(!"\(error)".isEmpty) }
  }

  private static func address(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    if let address = HTTPURL(text) {
      precondition(HTTPURL(address.description) == address)
      precondition(!address.host.isEmpty && !address.host.contains("@"))
    }
    do {
      let authority = try Authority(text)
      let again = try Authority(authority.url)
      precondition(again == authority)
    } catch { precondition(!"\(error)".isEmpty) }
    do {
      let uri = try RedirectURI(text)
      let again = try RedirectURI(uri.description)
      precondition(again == uri)
    } catch { precondition(!"\(error)".isEmpty) }
  }

  private static func claims(_ bytes: [UInt8]) {
    guard let text = String(validating: bytes, as: UTF8.self) else { return }
    do {
      let request = try ClaimsRequest(json: text)
      let again = try ClaimsRequest(json: request.json)
      precondition(again == request)
    } catch { precondition(!"\(error)".isEmpty) }
    _ = IDToken(text)
    _ = ClientInfo(text)
  }

  /// The answer of a user endpoint: whatever it is, the id is one that an account can have.
  private static func userAnswer(_ bytes: [UInt8]) {
    do {
      guard let members = BuiltInProviders.members("github") else { preconditionFailure() }
      let provider = try ProviderDescription(members)
      let transport = Canned(body: bytes)
      let authority = try Authority("https://github.com")
      let endpoint = TokenEndpoint(
        ApplicationConfiguration(clientID: "client", authority: authority),
        at: try ProviderDirectory(transport: transport).metadata(
          of: authority, describedBy: provider, Cancellation()),
        transport: transport, correlationID: "", Cancellation())
      let user = try endpoint.userInfo(Redacted("token"))
      precondition(user.subject.map { (1...255).contains($0.utf8.count) } == true)
      precondition(user.issuer == "https://github.com")
    } catch { precondition(!"\(error)".isEmpty) }
  }

  /// A provider file of the user: no token leaves the machine in the clear.
  private static func providerFile(_ bytes: [UInt8]) {
    do {
      guard let members = try JSONValue(parsing: bytes).members else { return }
      let provider = try ProviderDescription(members)
      let endpoints = [
        provider.tokenEndpoint, provider.userEndpoint, provider.revocationEndpoint,
        provider.deviceAuthorizationEndpoint,
      ]
      precondition(endpoints.allSatisfy { $0?.isConfidential != false })
      precondition(provider.issuer != nil || provider.takesURL)
    } catch { precondition(!"\(error)".isEmpty) }
  }

  private struct Canned: BlockingTransport {
    let body: [UInt8]
    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse { HTTPResponse(status: 200, body: body) }
  }

  private struct Nowhere: BlockingTransport {
    func send(
      _ request: HTTPRequest, _ cancellation: Cancellation
    ) throws(TransportError) -> HTTPResponse { throw .noLibrary }
  }
}
