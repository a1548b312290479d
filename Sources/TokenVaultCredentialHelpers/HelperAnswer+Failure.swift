import TokenVaultModel
import TokenVaultSignIn

extension HelperAnswer {
  /// The answer to arguments or variables that are not those of the protocol.
  static func usage(_ message: String, status: Int32 = 64) -> HelperAnswer {
    HelperAnswer(message: message, status: status)
  }

  /// The answer of a protocol whose errors are a message and a status.
  /// - Parameter address: The address that was asked for; nil for a token of an account.
  static func failure(
    _ outcome: CredentialOutcome, at address: HTTPURL? = nil, status: Int32 = 1
  ) -> HelperAnswer {
    HelperAnswer(message: outcome.failureText(at: address), status: status)
  }

  /// JSON on one line, names in byte order.
  static func json(_ members: [(String, JSONValue)], status: Int32 = 0) -> HelperAnswer {
    HelperAnswer(
      JSONValue.object(members.map { .init($0.0, $0.1) }).bytes + [0x0a], status: status)
  }
}
