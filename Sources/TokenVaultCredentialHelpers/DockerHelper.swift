import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// The credential helpers of docker, podman, skopeo and oras (docker-credential-helpers).
  package static let docker = HelperProtocol(
    name: "docker", programs: ["docker-credential-tokenvault"],
    readsInput: { ["get", "store", "erase"].contains($0.first) }, beginsWithVerb: true,
    begin: DockerHelper.begin)
}

/// The messages of docker-credential-helpers are on standard output, with status 1. Docker compares
/// three of them with its own.
private enum DockerHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    switch call.arguments.first {
    case "get": return get(call.input)
    case "store": return store(call.input)
    case "erase": return erase(call.input)
    case "list": return .asks(.list, list)
    case "version":
      return .answered(HelperAnswer("docker-credential-tokenvault\n"))
    default:
      return .answered(
        HelperAnswer(
          "Usage: docker-credential-tokenvault store|get|erase|list|version\n", status: 1))
    }
  }

  private static func get(_ input: [UInt8]) -> HelperStep {
    guard let text = serverText(input) else {
      return .answered(failure("no credentials server URL"))
    }
    guard let address = HTTPURL(urlOrHost: text) else { return .answered(notFound) }
    var query = CredentialQuery(address)
    query.isExact = true
    return .asks(.find(query)) { outcome in
      guard case .found(let found) = outcome else { return Self.answer(to: outcome) }
      guard let secret = found.text else {
        return failure("the stored secret is not text")
      }
      return json([
        ("ServerURL", .string(text)), ("Username", .string(found.username)),
        ("Secret", .string(secret)),
      ])
    }
  }

  private static func store(_ input: [UInt8]) -> HelperStep {
    let value: JSONValue
    do { value = try JSONValue(parsing: input) } catch {
      return .answered(failure("the request is not JSON"))
    }
    guard let text = value["ServerURL"]?.text, !text.isEmpty else {
      return .answered(failure("no credentials server URL"))
    }
    guard let username = value["Username"]?.text, !username.isEmpty else {
      return .answered(failure("no credentials username"))
    }
    guard let address = HTTPURL(urlOrHost: text) else {
      return .answered(failure("the server URL is not an http or https URL"))
    }
    guard let secret = value["Secret"]?.text, !secret.isEmpty else {
      return .answered(failure("no credentials secret"))
    }
    return .asks(
      .store(NewCredential(CredentialQuery(address, username: username), Array(secret.utf8))),
      answer)
  }

  /// `docker logout` erases for the host, http://HOST and https://HOST, whatever was stored.
  private static func erase(_ input: [UInt8]) -> HelperStep {
    guard let text = serverText(input) else {
      return .answered(failure("no credentials server URL"))
    }
    guard let address = HTTPURL(urlOrHost: text) else { return .answered(HelperAnswer()) }
    return .asks(.erase(CredentialQuery(address), secret: nil)) { outcome in
      if case .notFound = outcome { return HelperAnswer() }
      return answer(to: outcome)
    }
  }

  @Sendable private static func list(_ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .listed(let all) = outcome else { return answer(to: outcome) }
    return json(all.map { ($0.address, .string($0.username)) })
  }

  @Sendable private static func answer(to outcome: CredentialOutcome) -> HelperAnswer {
    switch outcome {
    case .notFound: notFound
    case .failed(let reason): failure(reason.message)
    case .found, .listed, .done: HelperAnswer()
    }
  }

  private static let notFound = failure("credentials not found in native keychain")

  private static func failure(_ text: String) -> HelperAnswer {
    HelperAnswer(text + "\n", status: 1)
  }

  private static func json(_ members: [(String, JSONValue)]) -> HelperAnswer {
    HelperAnswer(JSONValue.object(members.map { .init($0.0, $0.1) }).bytes + [0x0a])
  }

  /// Nil if the input is empty, not UTF-8 or has several lines.
  private static func serverText(_ input: [UInt8]) -> String? {
    let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
    let line = input.reversed().drop(while: isSpace).reversed().drop(while: isSpace)
    guard !line.isEmpty, !line.contains(where: { $0 < 0x20 }) else { return nil }
    return String(validating: Array(line), as: UTF8.self)
  }
}
