import TokenVaultSignIn

extension SignInError {
  /// Whether the provider is down. Extended lifetimes exist for this case.
  var isOutage: Bool {
    switch self {
    case .transport(let error):
      switch error {
      case .unknownHost, .refused, .unreachable, .unreachableProxy, .timedOut: true
      default: false
      }
    case .provider(let answer): answer.status >= 500 || answer.status == 429
    case .badAnswer(.notJSON(let status)): status >= 500 || status == 429
    case .badDiscovery(.status(let status)): status >= 500 || status == 429
    default: false
    }
  }

  /// The provider's error if it requires user interaction; nil for any other error.
  var wantsUser: OAuthError? {
    switch self {
    case .provider(let answer):
      let codes = [
        "invalid_grant", "interaction_required", "login_required", "consent_required",
        "account_selection_required",
      ]
      return codes.contains(answer.code) ? answer : nil
    // Some providers refuse a refresh token with an empty body.
    case .badAnswer(.notJSON(let status)) where [400, 401].contains(status):
      return OAuthError(code: "invalid_grant", status: status)
    default: return nil
    }
  }
}
