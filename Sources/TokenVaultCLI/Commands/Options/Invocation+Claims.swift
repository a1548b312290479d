import TokenVaultSignIn

extension Invocation {
  /// Parses the value of `--claims`.
  static func claims(_ text: String?) throws(CommandError) -> ClaimsRequest? {
    guard let text else { return nil }
    do { return try ClaimsRequest(json: text) } catch { throw .badClaims(text) }
  }
}
