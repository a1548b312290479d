import TokenVaultSignIn

extension HelperProtocol {
  /// Cargo's credential providers: the conversation of ``CargoSession`` with `--cargo-plugin`, and
  /// the token on standard output of `cargo:token-from-stdout` without it.
  package static let cargo = HelperProtocol(
    name: "cargo", programs: ["cargo-credential-tokenvault"],
    variables: [CargoHelper.indexVariable], readsInput: { _ in false }, begin: CargoHelper.begin,
    session: { $0.contains("--cargo-plugin") ? CargoSession() : nil })
}

/// The simple form of a credential provider, for `cargo:token-from-stdout`.
enum CargoHelper {
  static let indexVariable = "CARGO_REGISTRY_INDEX_URL"

  static func begin(_ call: HelperCall) -> HelperStep {
    guard let index = call.environment[indexVariable] else {
      return .answered(
        .usage("Cargo calls this helper with --cargo-plugin, or with \(indexVariable) set."))
    }
    guard let address = address(ofIndex: index) else {
      return .answered(
        HelperAnswer(message: "The registry's index has no http or https URL.", status: 1))
    }
    return .asks(.find(CredentialQuery(address))) { outcome in
      guard case .found(let found) = outcome else { return .failure(outcome, at: address) }
      guard let value = authorization(found) else {
        return HelperAnswer(message: unusable, status: 1)
      }
      return HelperAnswer(value + "\n")
    }
  }

  /// The address of a registry's index. A sparse index has the prefix `sparse+`.
  static func address(ofIndex text: String) -> HTTPURL? {
    HTTPURL(text.hasPrefix("sparse+") ? String(text.dropFirst("sparse+".count)) : text)
  }

  /// Cargo sends a token as the whole value of Authorization. A stored one is kept in that form; an
  /// access token needs its scheme.
  static func authorization(_ found: FoundCredential) -> String? {
    if found.isAccessToken { return found.bearerToken.map { "Bearer " + $0 } }
    let bytes = found.secret.reveal()
    guard !bytes.isEmpty, bytes.allSatisfy({ $0 >= 0x20 && $0 < 0x7f }) else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }

  static let unusable = "The stored secret cannot be sent to a registry: it is not ASCII text."
}
