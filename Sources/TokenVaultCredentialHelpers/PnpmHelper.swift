import TokenVaultSignIn

extension HelperProtocol {
  /// pnpm's `tokenHelper`. pnpm passes no arguments, so that each registry needs a small program
  /// that passes its URL.
  package static let pnpm = HelperProtocol(
    name: "pnpm", programs: ["tokenvault-pnpm"], readsInput: { _ in false },
    begin: PnpmHelper.begin)
}

/// The answer is the whole value of Authorization: older versions of pnpm send it as it is, newer
/// ones add `Bearer` to a token without a scheme.
private enum PnpmHelper {
  static func begin(_ call: HelperCall) -> HelperStep {
    .reading { () throws(HelperUsageError) in
      let arguments = try HelperArguments(call.arguments)
      guard arguments.words.count == 1, let address = HTTPURL(arguments.words[0]) else {
        throw .words(
          "This helper needs the registry's URL, as in https://registry.npmjs.org/.")
      }
      return .asks(.find(CredentialQuery(address))) { outcome in
        guard case .found(let found) = outcome else {
          // Most registries take a token, and no password.
          return HelperAnswer(
            message: outcome.failureText(at: address, options: " --auth bearer"), status: 1)
        }
        guard let value = found.authorization else {
          return HelperAnswer(message: "The stored secret cannot be sent in a header.", status: 1)
        }
        return HelperAnswer(value + "\n")
      }
    }
  }
}
