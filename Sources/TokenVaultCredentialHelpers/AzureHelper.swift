import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// `az account get-access-token`, which Azure's SDKs run (AzureCliCredential).
  package static let azure = HelperProtocol(
    name: "azure", programs: ["tokenvault-az"], substitutes: ["az"], readsInput: { _ in false },
    startsInBin: true,
    begin: AzureHelper.begin)
}

/// One command of the Azure CLI.
private struct AzureHelper {
  private var query = TokenQuery()
  private var printing = AzureOutput()

  /// The Azure CLI's status for arguments that it cannot read.
  private static let usageStatus: Int32 = 2

  private static let options = [
    "--scope": "scope", "--resource": "resource", "--resource-type": "resource-type",
    "--tenant": "tenant", "-t": "tenant", "--subscription": "subscription", "-s": "subscription",
    "--name": "subscription", "-n": "subscription", "--output": "output", "-o": "output",
    "--query": "query",
  ]

  /// The resources of `--resource-type` in the public cloud.
  private static let resources = [
    "arm": "https://management.core.windows.net/", "ms-graph": "https://graph.microsoft.com/",
    "aad-graph": "https://graph.windows.net/", "batch": "https://batch.core.windows.net/",
    "media": "https://rest.media.azure.net", "data-lake": "https://datalake.azure.net/",
    "oss-rdbms": "https://ossrdbms-aad.database.windows.net",
  ]

  static func begin(_ call: HelperCall) -> HelperStep {
    guard call.arguments.starts(with: ["account", "get-access-token"]) else {
      // The words "az login" would make the SDKs take this for an account that is not signed in.
      return .answered(
        error(
          "This is tokenvault in place of az. It has account get-access-token only; for "
            + "everything else, install the Azure CLI and call it by its path."))
    }
    return .reading(status: usageStatus) { () throws(HelperUsageError) in
      let helper = try AzureHelper(
        HelperArguments(
          Array(call.arguments.dropFirst(2)), options: options,
          flags: ["--only-show-errors", "--debug", "--verbose"]))
      return .asks(.token(helper.query), helper.answer)
    }
  }

  private init(_ arguments: HelperArguments) throws(HelperUsageError) {
    // az takes several scopes after one --scope.
    guard arguments.words.isEmpty || !arguments.all("scope").isEmpty else {
      throw .words("ERROR: unrecognized arguments")
    }
    query.scopes = (arguments.all("scope") + arguments.words)
      .flatMap { $0.split(separator: " ").map(String.init) }
    query.resource = try Self.last("resource", arguments)
    query.tenant = try Self.last("tenant", arguments)
    query.subscription = try Self.last("subscription", arguments)
    if let type = arguments.last("resource-type") {
      guard let resource = Self.resources[type] else {
        throw .words("ERROR: the value of --resource-type is not one of az's")
      }
      guard query.resource == nil else { throw Self.onlyOne }
      query.resource = resource
    }
    guard query.scopes.isEmpty || query.resource == nil else { throw Self.onlyOne }
    guard !query.scopes.contains(where: \.hasControlCharacters) else {
      throw .badValue("--scope")
    }
    if !query.namesToken { query.resource = Self.resources["arm"] }
    printing = try AzureOutput(arguments)
  }

  private static let onlyOne = HelperUsageError.words(
    "ERROR: only one of --scope, --resource and --resource-type may be given")

  private static func last(
    _ name: String, _ arguments: HelperArguments
  ) throws(HelperUsageError) -> String? {
    guard let value = arguments.last(name) else { return nil }
    guard !value.isEmpty, !value.hasControlCharacters else { throw .badValue("--" + name) }
    return value
  }

  @Sendable private func answer(_ outcome: CredentialOutcome) -> HelperAnswer {
    guard case .found(let found) = outcome else { return Self.failure(outcome) }
    guard let token = found.bearerToken, let end = found.expiresOn else {
      return Self.error("The account's token has no end, or is no bearer token.")
    }
    var members: [JSONValue.Member] = [
      .init("accessToken", .string(token)),
      .init("expiresOn", .string(end.localTime)),
      .init("expires_on", .number("\(end.epochSeconds)")),
    ]
    if let subscription = query.subscription {
      members.append(.init("subscription", .string(subscription)))
    }
    if let tenant = found.tenantID ?? query.tenant {
      members.append(.init("tenant", .string(tenant)))
    }
    members.append(.init("tokenType", .string("Bearer")))
    return HelperAnswer(printing.bytes(of: members))
  }

  /// The SDKs look for "az login" on standard error, and go on with their next credential.
  private static func failure(_ outcome: CredentialOutcome) -> HelperAnswer {
    if case .failed(let failure) = outcome, !failure.needsSignIn { return error(failure.message) }
    return error(
      "Please run 'az login' to setup account.\n" + "tokenvault: \(outcome.failureText(at: nil))")
  }

  private static func error(_ text: String) -> HelperAnswer {
    HelperAnswer(message: "ERROR: " + text, status: 1)
  }
}
