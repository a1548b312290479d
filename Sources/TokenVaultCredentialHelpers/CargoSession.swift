import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

/// The conversation of one call with `--cargo-plugin` (Cargo Book, "Credential Provider Protocol").
/// The provider speaks first. Then each line of standard input is a request, until its end, and each
/// answer is written before the next line is read.
package struct CargoSession: Sendable {
  /// A new conversation.
  package init() {}

  /// The first line of the provider: the versions of the protocol that it speaks.
  package let greeting = Array(#"{"v":[1]}"#.utf8) + [0x0a]

  /// Reads one request, with or without its line feed.
  package func step(_ line: [UInt8]) -> HelperStep {
    let request: JSONValue
    do { request = try JSONValue(parsing: line) } catch {
      return .answered(Self.error("other", "the request is not JSON"))
    }
    guard request["v"] == .number("1") else {
      return .answered(Self.error("other", "unsupported protocol version"))
    }
    guard let index = request["registry"]?["index-url"]?.text else {
      return .answered(Self.error("other", "the request names no registry"))
    }
    guard let kind = request["kind"]?.text, ["get", "login", "logout"].contains(kind) else {
      return .answered(Self.error("operation-not-supported"))
    }
    guard let address = CargoHelper.address(ofIndex: index) else {
      return .answered(Self.error("url-not-supported"))
    }
    switch kind {
    case "get": return .asks(.find(CredentialQuery(address)), Self.get)
    case "login": return Self.login(request["token"]?.text ?? "", at: address)
    default:
      return .asks(.erase(CredentialQuery(address), secret: nil)) { Self.done("logout", $0) }
    }
  }

  @Sendable private static func get(_ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .found(let found) = outcome else { return error(outcome) }
    guard let token = CargoHelper.authorization(found) else {
      return error("other", CargoHelper.unusable)
    }
    var members: [(String, JSONValue)] = [
      ("kind", .string("get")), ("token", .string(token)), ("operation_independent", .bool(true)),
      ("cache", .string(found.expiresOn == nil ? "session" : "expires")),
    ]
    if let end = found.expiresOn { members.append(("expiration", .number("\(end.epochSeconds)"))) }
    return ok(members)
  }

  private static func login(_ token: String, at address: HTTPURL) -> HelperStep {
    // The protocol lets a provider prompt. This one does not: Cargo reads the token itself.
    guard !token.isEmpty else {
      return .answered(error("other", "pass the token on standard input: cargo login < FILE"))
    }
    guard token.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else {
      return .answered(error("other", "a token has visible characters of ASCII only"))
    }
    return .asks(.store(NewCredential(CredentialQuery(address), Array(token.utf8)))) {
      done("login", $0)
    }
  }

  @Sendable private static func done(_ kind: String, _ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .done = outcome else { return error(outcome) }
    return ok([("kind", .string(kind))])
  }

  private static func ok(_ members: [(String, JSONValue)]) -> HelperAnswer {
    .json([("Ok", .object(members.map { .init($0.0, $0.1) }))])
  }

  /// For `not-found` Cargo goes on with the next provider.
  private static func error(_ outcome: CredentialOutcome) -> HelperAnswer {
    if case .notFound = outcome { return error("not-found") }
    return error("other", outcome.failureText(at: nil))
  }

  private static func error(_ kind: String, _ message: String? = nil) -> HelperAnswer {
    var members = [JSONValue.Member("kind", .string(kind))]
    if let message {
      members += [.init("message", .string(message)), .init("caused-by", .array([]))]
    }
    return .json([("Err", .object(members))])
  }
}
