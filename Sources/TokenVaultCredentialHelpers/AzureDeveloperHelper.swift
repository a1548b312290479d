import TokenVaultCrypto
import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// `azd auth token`, which Azure's SDKs run (AzureDeveloperCliCredential).
  package static let azureDeveloper = HelperProtocol(
    name: "azure-developer", programs: ["tokenvault-azd"], substitutes: ["azd"],
    readsInput: { _ in false }, startsInBin: true, begin: AzureDeveloperHelper.begin)
}

/// One command of the Azure Developer CLI.
private enum AzureDeveloperHelper {
  private static let options = [
    "--scope": "scope", "--tenant-id": "tenant-id", "--claims": "claims", "--output": "output",
    "-o": "output",
  ]

  static func begin(_ call: HelperCall) -> HelperStep {
    guard call.arguments.starts(with: ["auth", "token"]) else {
      return .answered(
        error(
          "this is tokenvault in place of azd. It has auth token only; for everything else, "
            + "install the Azure Developer CLI and call it by its path"))
    }
    return .reading(status: 1) { () throws(HelperUsageError) in
      let arguments = try HelperArguments(
        Array(call.arguments.dropFirst(2)), options: options,
        flags: ["--no-prompt", "--debug"])
      return .asks(.token(try query(arguments)), answer)
    }
  }

  private static func query(_ arguments: HelperArguments) throws(HelperUsageError) -> TokenQuery {
    guard arguments.words.isEmpty, (arguments.last("output") ?? "json") == "json" else {
      throw .words("ERROR: this azd has auth token with --output json only")
    }
    var query = TokenQuery()
    query.scopes = arguments.all("scope")
    guard query.scopes.allSatisfy({ !$0.isEmpty && !$0.contains(" ") && !$0.hasControlCharacters })
    else { throw .badValue("--scope") }
    if query.scopes.isEmpty { query.scopes = ["https://management.azure.com//.default"] }
    query.tenant = try arguments.single("tenant-id")
    if let text = try arguments.single("claims") {
      guard let bytes = Base64URL.decodeStandard(text),
        let claims = String(validating: bytes, as: UTF8.self)
      else { throw .words("ERROR: the value of --claims is not Base64") }
      query.claims = claims
    }
    return query
  }

  @Sendable private static func answer(_ outcome: CredentialOutcome) -> HelperAnswer {
    switch outcome {
    case .found(let found):
      guard let token = found.bearerToken, let end = found.expiresOn else {
        return error("the account's token has no end, or is no bearer token")
      }
      return HelperAnswer(
        JSONValue.object([
          .init("token", .string(token)), .init("expiresOn", .string(end.iso8601)),
        ]).prettyBytes)
    case .failed(let failure) where !failure.needsSignIn: return error(failure.message)
    case .listed, .done, .notFound, .failed:
      // The SDKs look for these very words, and go on with their next credential.
      return error(
        "not logged in, run `azd auth login` to login\n"
          + "tokenvault: \(outcome.failureText(at: nil))")
    }
  }

  private static func error(_ text: String) -> HelperAnswer {
    HelperAnswer(message: "ERROR: " + text, status: 1)
  }
}
