import Synchronization
import TokenVaultModel

@testable import TokenVaultSignIn

/// The network of a test: a script produces the responses, and the requests are recorded.
final class ScriptedProvider: BlockingTransport {
  typealias Script = @Sendable (HTTPRequest) throws(TransportError) -> HTTPResponse
  private let script: Script
  private let seen = Mutex<[HTTPRequest]>([])

  init(_ script: @escaping Script) { self.script = script }

  /// Returns one document for every request.
  convenience init(status: Int = 200, _ body: JSONValue) {
    self.init { _ in HTTPResponse(status: status, body: body.bytes) }
  }

  var requests: [HTTPRequest] { seen.withLock { $0 } }

  func send(
    _ request: HTTPRequest, _ cancellation: Cancellation
  ) throws(TransportError) -> HTTPResponse {
    seen.withLock { $0.append(request) }
    return try script(request)
  }
}

extension JSONValue {
  /// An object of strings.
  static func texts(_ members: KeyValuePairs<String, String>) -> JSONValue {
    .object(members.map { .init($0, .string($1)) })
  }

  /// The object with some members replaced; nil removes a member.
  func with(_ changes: [String: JSONValue?]) -> JSONValue {
    var kept = (members ?? []).filter { !changes.keys.contains($0.name) }
    for (name, value) in changes {
      if let value { kept.append(.init(name, value)) }
    }
    return .object(kept)
  }
}

/// The discovery document of the provider in most tests.
let description = JSONValue.texts([
  "issuer": "https://id.example", "authorization_endpoint": "https://id.example/authorize",
  "token_endpoint": "https://id.example/token", "jwks_uri": "https://id.example/keys",
  "device_authorization_endpoint": "https://id.example/device",
  "revocation_endpoint": "https://id.example/revoke",
  "end_session_endpoint": "https://id.example/logout",
])

/// The endpoint of a provider with this discovery document.
func endpoint(
  _ changes: [String: JSONValue?] = [:], authority: String = "https://id.example",
  script: @escaping ScriptedProvider.Script = { _ in HTTPResponse(status: 404) },
  _ change: (inout ApplicationConfiguration) -> Void = { _ in }
) throws -> (endpoint: TokenEndpoint, provider: ScriptedProvider) {
  let authority = try Authority(authority)
  let metadata = try ProviderMetadata(
    json: description.with(changes).bytes, of: authority)
  var application = ApplicationConfiguration(clientID: "app", authority: authority)
  application.retryIntervalMilliseconds = 0
  change(&application)
  let provider = ScriptedProvider(script)
  return (
    TokenEndpoint(
      application, at: metadata, transport: provider, correlationID: "c-1", Cancellation()),
    provider
  )
}

extension HTTPRequest {
  /// The form that was sent.
  var form: FormParameters? {
    FormParameters(encoded: String(decoding: body ?? [], as: UTF8.self))
  }
}

extension HTTPURL {
  /// The parameters of the query.
  var parameters: FormParameters { FormParameters(encoded: query ?? "") ?? FormParameters() }
}
