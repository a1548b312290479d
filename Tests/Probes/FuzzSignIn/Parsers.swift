import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// The parsers of untrusted input during a sign-in, and those of the credential helpers. An input's
/// first byte selects the parser.
/// Besides not crashing, each must satisfy its preconditions.
enum Parsers {
  static func read(_ input: [UInt8]) {
    guard let kind = input.first else { return }
    let rest = Array(input.dropFirst())
    switch kind {
    case UInt8(ascii: "r"): redirect(rest)
    case UInt8(ascii: "q"): query(rest)
    case UInt8(ascii: "t"): tokenAnswer(rest)
    case UInt8(ascii: "d"): deviceAnswer(rest)
    case UInt8(ascii: "m"): metadata(rest)
    case UInt8(ascii: "a"): address(rest)
    case UInt8(ascii: "c"): claims(rest)
    case UInt8(ascii: "u"): userAnswer(rest)
    case UInt8(ascii: "p"): providerFile(rest)
    case UInt8(ascii: "h"): HelperCalls.read(rest)
    default: return
    }
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
