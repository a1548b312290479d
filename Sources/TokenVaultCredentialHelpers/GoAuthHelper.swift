import TokenVaultSignIn

extension HelperProtocol {
  /// The commands of Go's GOAUTH (`go help goauth`).
  package static let goauth = HelperProtocol(
    name: "goauth", programs: ["tokenvault-goauth"], readsInput: { _ in false },
    begin: GoAuthHelper.begin)
}

/// Go first calls the command as GOAUTH has it, then again with the URL of a refused request as one
/// more argument and the response on standard input. A URL in GOAUTH saves the refused request.
private enum GoAuthHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    guard let text = call.arguments.last else { return .answered(HelperAnswer()) }
    // Go sends the headers over https only.
    guard let address = HTTPURL(text), address.scheme == "https" else {
      return .answered(HelperAnswer())
    }
    return .asks(.find(CredentialQuery(address))) { outcome in
      switch outcome {
      case .notFound: return HelperAnswer()
      case .found(let found):
        guard let value = found.authorization else {
          return HelperAnswer(message: "The stored secret cannot be sent in a header.", status: 1)
        }
        let prefix = prefix(for: address, found.address)
        return HelperAnswer("\(prefix)\n\nAuthorization: \(value)\n\n")
      case .listed, .done, .failed: return .failure(outcome, at: address)
      }
    }
  }

  /// Go sends the headers to every URL below the prefix: below the address that the credential is
  /// stored for, and below the requested one if that is not known.
  private static func prefix(for address: HTTPURL, _ stored: HTTPURL?) -> HTTPURL {
    var prefix = address
    if let stored, stored.origin == address.origin,
      address.segments.starts(with: stored.segments)
    {
      prefix = stored
    }
    prefix.query = nil
    return prefix
  }
}
