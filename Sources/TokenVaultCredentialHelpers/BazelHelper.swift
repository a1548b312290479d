import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// The credential helpers of Bazel, and of the other tools with the protocol's `get`.
  package static let bazel = HelperProtocol(
    name: "bazel", programs: ["tokenvault-bazel"], readsInput: { $0.first == "get" },
    beginsWithVerb: true,
    begin: BazelHelper.begin)
}

/// The request is `{"uri": …}`; the answer has the headers of the request to it.
private enum BazelHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    guard call.arguments == ["get"] else {
      return .answered(.usage("Bazel calls this helper with get."))
    }
    let value: JSONValue
    do { value = try JSONValue(parsing: call.input) } catch {
      return .answered(HelperAnswer(message: "The request is not JSON.", status: 1))
    }
    guard let uri = value["uri"]?.text else {
      return .answered(HelperAnswer(message: "The request has no \"uri\".", status: 1))
    }
    // Bazel also calls helpers for other schemes, such as grpcs. No answer is not an error.
    guard let address = HTTPURL(uri) else { return .answered(headers([])) }
    return .asks(.find(CredentialQuery(address))) { answer($0, at: address) }
  }

  private static func answer(_ outcome: CredentialOutcome, at address: HTTPURL) -> HelperAnswer {
    switch outcome {
    case .notFound: return headers([])
    case .found(let found):
      guard let value = found.authorization else {
        return HelperAnswer(message: "The stored secret cannot be sent in a header.", status: 1)
      }
      let end = found.expiresOn.map { [("expires", JSONValue.string($0.iso8601))] } ?? []
      return headers([.init("Authorization", .array([.string(value)]))], end)
    case .listed, .done, .failed: return .failure(outcome, at: address)
    }
  }

  private static func headers(
    _ fields: [JSONValue.Member], _ end: [(String, JSONValue)] = []
  ) -> HelperAnswer {
    .json([("headers", .object(fields))] + end)
  }
}
