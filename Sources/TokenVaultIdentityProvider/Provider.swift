import Foundation
import TokenVaultSignIn
import TokenVaultCrypto
import TokenVaultModel

/// The provider's whole state. Requests are answered one after the other, so that of two uses of
/// one code or refresh token exactly one is the first.
struct Provider {
  let base: String
  var configuration: Configuration
  var keys: [SigningPair] = []
  var clockOffset = 0.0
  var flows: [String: Flow] = [:]
  var sessions: [String: [String: Double]] = [:]
  var consents: [String: Set<String>] = [:]
  var codes: [String: Code] = [:]
  var grants: [Grant] = []
  var refreshTokens: [String: RefreshToken] = [:]
  var accessTokens: [String: AccessToken] = [:]
  var devices: [String: Device] = [:]
  var faults: [Fault] = []
  var counters: [String: Int] = [:]
  var log: [JSONValue] = []
  /// How the ID token of the answer in the making is to be spoilt.
  var spoiling: String?

  struct SigningPair {
    let id: String
    let key: SigningKey
    let modulus: String
    let exponent: String
    var isPublished = true

    init() throws(CryptoError) {
      id = randomText(12)
      key = try SigningKey.generate()
      (modulus, exponent) = try key.publicJWK
    }
  }

  init(base: String, configuration: Configuration) {
    self.base = base
    self.configuration = configuration
  }

  /// The key that signs; made when it is first needed, since it takes longer than all the rest.
  mutating func signingPair() throws(Failure) -> SigningPair {
    if let last = keys.last { return last }
    do {
      let made = try SigningPair()
      keys = [made]
      return made
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

  /// Answers a request, as a fault that waits for it wants it, and writes the log.
  mutating func answer(_ request: Request) -> Reply {
    let (endpoint, realm) = configuration.route(request.segments)
    guard endpoint != .control else { return control(request) }
    let form = request.form
    let fault = takeFault(endpoint, grant: form?["grant_type"])
    spoiling = fault?.idToken
    defer { spoiling = nil }
    var reply =
      fault?.instead(realm: realm, request: request, now: now)
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
      case .token: return .json(try token(request, realm))
      case .devicecode: return .json(try deviceCode(request, realm))
      case .revoke: return try revoke(request, realm)
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
    _ request: Request, _ form: FormParameters?, _ endpoint: Endpoint, _ reply: Reply
  ) {
    let parameters = form ?? request.query
    var entry: JSONValue = [
      "endpoint": .string(endpoint.rawValue), "method": .string(request.method),
      "path": .string("/" + request.segments.joined(separator: "/")),
      "status": .number(String(reply.status)), "ending": .string(reply.ending.rawValue),
      "time": .number(String(now)),
    ]
    entry.set("grant_type", parameters["grant_type"].map { .string($0) })
    entry.set("client", parameters["client_id"].map { .string($0) })
    entry.set("scope", parameters["scope"].map { .string($0) })
    entry.set("error", reply.error.map { .string($0) })
    entry.set("correlation_id", request.headers["client-request-id"].map { .string($0) })
    log.append(entry)
  }
}
