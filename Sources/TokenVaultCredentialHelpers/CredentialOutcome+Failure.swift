import TokenVaultSignIn

extension CredentialOutcome {
  /// The text for the user where the vault has no answer, with the next command.
  /// - Parameter options: More options of the command that stores a credential.
  func failureText(at address: HTTPURL?, options: String = "") -> String {
    switch self {
    case .failed(let failure): return failure.message
    case .notFound:
      guard let address else {
        return "No account of the vault has this token.\nnext: tokenvault sign-in"
      }
      // Only the origin: a path could hold characters that a shell acts on.
      return "No credential is stored for \(address.origin).\nnext: "
        + "tokenvault add --service \(address.origin) --username NAME\(options)"
    case .found, .listed, .done: return "The vault gave an answer that is no credential."
    }
  }
}
