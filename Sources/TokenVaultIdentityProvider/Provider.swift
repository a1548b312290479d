import Foundation

/// The provider's state. Requests are processed one at a time, so that exactly one use of a code or
/// a refresh token is the first.
struct Provider {
  /// The URL under which the current request reached the provider.
  private(set) var base: String
  var configuration: Configuration
  var keys: [SigningPair] = []
  var clockOffset = 0.0
  var flows: [String: Flow] = [:]
  var sessions: [String: [String: Double]] = [:]
  var consents: [String: Set<String>] = [:]
  var codes: [String: AuthorizationCode] = [:]
  var grants: [Grant] = []
  var refreshTokens: [String: RefreshToken] = [:]
  var accessTokens: [String: AccessToken] = [:]
  var devices: [String: DeviceAuthorization] = [:]
  var faults: [Fault] = []
  var counters: [String: Int] = [:]
  var log: [JSON] = []
  /// The fault of the ID token in the current answer.
  var idTokenFault: String?

  init(base: String, configuration: Configuration) {
    self.base = base
    self.configuration = configuration
  }

  /// The key that signs. The first call generates it, which takes longer than starting the process.
  mutating func signingPair() throws(Failure) -> SigningPair {
    if let last = keys.last { return last }
    let made = try newSigningPair()
    keys = [made]
    return made
  }

  func newSigningPair() throws(Failure) -> SigningPair {
    do {
      return try SigningPair()
    } catch {
      throw .broken
    }
  }

  var now: Double { Date().timeIntervalSince1970 + clockOffset }

  mutating func count(_ name: String) { counters[name, default: 0] += 1 }

  func user(_ username: String) -> User? {
    configuration.users.first { $0.username.lowercased() == username.lowercased() }
  }

  func client(_ id: String?) -> Client? { configuration.clients.first { $0.id == id } }

  /// Answers a request, with the next fault for it, and logs it.
  mutating func answer(_ request: Request) -> Reply {
    let ownBase = base
    defer { base = ownBase }
    if let host = request.externalHost { base = "https://\(host)" }
    let (endpoint, realm) = configuration.route(request.segments, host: request.externalHost)
    guard endpoint != .control else { return control(request) }
    let form = request.form
    let fault = takeFault(endpoint, grant: form?["grant_type"])
    idTokenFault = fault?.idToken
    defer { idTokenFault = nil }
    var reply =
      fault?.replacement(realm: realm, request: request, now: now)
      ?? answer(request, endpoint, realm)
    fault?.alter(&reply)
    if let correlation = request.headers["client-request-id"] {
      reply.headers.append(("client-request-id", correlation))
    }
    write(request, form, endpoint, reply)
    return reply
  }

  private mutating func answer(_ request: Request, _ endpoint: Endpoint, _ realm: Realm?) -> Reply {
    do {
      switch endpoint {
      case .interaction: return interact(request)
      case .devicelogin: return deviceLogin(request)
      case .me, .messages, .api: return api(request, endpoint)
      case .control, .unknown: return .notFound
      default: break
      }
      guard let realm else {
        throw Failure("invalid_tenant", 90002, "The tenant was not found.")
      }
      switch endpoint {
      case .discovery: return .json(discovery(realm))
      case .instance: return .json(instance(realm))
      case .keys: return .json(try publicKeys())
      case .authorize: return authorize(request, realm)
      case .adminconsent: return adminConsent(request, realm)
      case .token: return .json(try token(request, realm))
      case .devicecode: return .json(try deviceCode(request, realm))
      case .revoke: return try revoke(request, realm)
      case .introspect: return try introspect(request, realm)
      case .logout: return logout(request)
      case .userinfo: return try userinfo(request)
      default: return .notFound
      }
    } catch let failure as Failure {
      return failure.reply(
        realm: realm, correlation: request.headers["client-request-id"],
        now: Date(timeIntervalSince1970: now))
    } catch {
      return .json(["error": "server_error"], status: 500)
    }
  }

  private mutating func write(
    _ request: Request, _ form: FormFields?, _ endpoint: Endpoint, _ reply: Reply
  ) {
    let parameters = form ?? request.query
    var entry: JSON = [
      "endpoint": .string(endpoint.rawValue), "method": .string(request.method),
      "path": .string("/" + request.segments.joined(separator: "/")),
      "status": .integer(reply.status), "ending": .string(reply.ending.rawValue),
      "time": .number(now),
    ]
    entry["grant_type"] = parameters["grant_type"].map { .string($0) }
    entry["client"] = parameters["client_id"].map { .string($0) }
    entry["scope"] = parameters["scope"].map { .string($0) }
    entry["error"] = reply.error.map { .string($0) }
    entry["correlation_id"] = request.headers["client-request-id"].map { .string($0) }
    log.append(entry)
  }
}
