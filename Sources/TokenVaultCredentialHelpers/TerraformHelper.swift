import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// Terraform's credentials helpers: `terraform-credentials-tokenvault get|store|forget HOST`.
  package static let terraform = HelperProtocol(
    name: "terraform", programs: ["terraform-credentials-tokenvault"],
    readsInput: { $0.dropLast().last == "store" }, beginsWithVerb: true,
    begin: TerraformHelper.begin)
}

/// Terraform adds a verb and a host to the arguments of its configuration.
private enum TerraformHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    guard call.arguments.count == 2, let host = call.arguments.last else {
      return .answered(
        .usage("Terraform calls this helper with get, store or forget, and a host."))
    }
    guard let address = address(ofHost: host) else {
      return .answered(HelperAnswer(message: "The host is not a host name.", status: 1))
    }
    switch call.arguments[0] {
    case "get": return .asks(.find(CredentialQuery(address))) { get($0, at: address) }
    case "store": return store(call.input, at: address)
    case "forget":
      return .asks(.erase(CredentialQuery(address), secret: nil)) { done($0, at: address) }
    default:
      return .answered(
        HelperAnswer(message: "This helper has get, store and forget only.", status: 1))
    }
  }

  /// Terraform names a host in the form of ASCII, with its port unless that is 443.
  private static func address(ofHost text: String) -> HTTPURL? {
    HTTPURL.hostAndPort(text.lowercased()) == nil ? nil : HTTPURL("https://" + text)
  }

  private static func get(_ outcome: CredentialOutcome, at address: HTTPURL) -> HelperAnswer {
    switch outcome {
    case .notFound: return .json([])
    case .found(let found):
      guard let token = found.bearerToken else {
        return HelperAnswer(message: "The stored secret is not a token.", status: 1)
      }
      return .json([("token", .string(token))])
    case .listed, .done, .failed: return .failure(outcome, at: address)
    }
  }

  /// Properties that cannot be kept must not be dropped: they could change the meaning of the token.
  private static func store(_ input: [UInt8], at address: HTTPURL) -> HelperStep {
    let value: JSONValue
    do { value = try JSONValue(parsing: input) } catch {
      return .answered(HelperAnswer(message: "The credentials are not JSON.", status: 1))
    }
    guard let token = value["token"]?.text, !token.isEmpty, value.members?.count == 1,
      token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
    else {
      return .answered(
        HelperAnswer(
          message: "The vault stores credentials with a token and no other property only.",
          status: 1))
    }
    return .asks(.store(NewCredential(CredentialQuery(address), Array(token.utf8)))) {
      done($0, at: address)
    }
  }

  /// The outcome of storing or forgetting. Forgetting what is not there is a success.
  private static func done(_ outcome: CredentialOutcome, at address: HTTPURL) -> HelperAnswer {
    switch outcome {
    case .done, .notFound: HelperAnswer()
    case .found, .listed, .failed: .failure(outcome, at: address)
    }
  }
}
