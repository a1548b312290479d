import TokenVaultModel
import TokenVaultSignIn

extension HelperProtocol {
  /// Kubernetes' exec credential plugins (client.authentication.k8s.io, v1 and v1beta1).
  package static let kubernetes = HelperProtocol(
    name: "kubernetes", programs: ["tokenvault-kubernetes"],
    variables: [KubernetesHelper.variable], readsInput: { _ in false },
    begin: KubernetesHelper.begin)
}

/// The request is in a variable and in the arguments of the kubeconfig.
private enum KubernetesHelper {
  static let variable = "KUBERNETES_EXEC_INFO"
  private static let versions = ["v1", "v1beta1"].map { "client.authentication.k8s.io/" + $0 }

  static func begin(_ call: HelperCall) -> HelperStep {
    .reading { () throws(HelperUsageError) in
      let arguments = try HelperArguments(call.arguments, options: TokenQuery.options)
      guard arguments.words.isEmpty else {
        throw .words("This helper has options only, as in --scope SCOPE.")
      }
      let query = try TokenQuery(arguments)
      let (version, server) = try request(call.environment[variable])
      if query.namesToken {
        return .asks(.token(query)) { answer($0, version: version, at: nil) }
      }
      guard let server else {
        throw .words("Name the token with --scope or --resource, or set provideClusterInfo.")
      }
      return .asks(.find(CredentialQuery(server, username: query.account))) {
        answer($0, version: version, at: server)
      }
    }
  }

  /// The version of the answer has to be that of the request.
  private static func request(
    _ text: String?
  ) throws(HelperUsageError) -> (version: String, server: HTTPURL?) {
    guard let text else { throw .words("Kubernetes calls this helper with \(variable) set.") }
    let value: JSONValue
    do { value = try JSONValue(parsing: Array(text.utf8)) } catch {
      throw .words("\(variable) is not JSON.")
    }
    guard let version = value["apiVersion"]?.text, versions.contains(version),
      value["kind"] == .string("ExecCredential")
    else { throw .words("\(variable) is no ExecCredential of v1 or v1beta1.") }
    guard let server = value["spec"]?["cluster"]?["server"] else { return (version, nil) }
    guard let address = server.text.flatMap({ HTTPURL($0) }) else {
      throw .words("The cluster's server has no http or https URL.")
    }
    return (version, address)
  }

  private static func answer(
    _ outcome: CredentialOutcome, version: String, at server: HTTPURL?
  ) -> HelperAnswer {
    guard case .found(let found) = outcome else { return .failure(outcome, at: server) }
    guard var status = status(of: found) else {
      return HelperAnswer(
        message: "The stored secret is neither a bearer token nor a certificate with its key.",
        status: 1)
    }
    if let end = found.expiresOn {
      status.append(.init("expirationTimestamp", .string(end.iso8601)))
    }
    return .json([
      ("apiVersion", .string(version)), ("kind", .string("ExecCredential")),
      ("status", .object(status)),
    ])
  }

  private static func status(of found: FoundCredential) -> [JSONValue.Member]? {
    if let pair = CertificatePair(found.secret.reveal()) {
      return [
        .init("clientCertificateData", .string(pair.certificates)),
        .init("clientKeyData", .string(pair.key)),
      ]
    }
    return found.bearerToken.map { [.init("token", .string($0))] }
  }
}
