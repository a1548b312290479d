extension SignInError {
  /// Whether the provider is down. Extended lifetimes exist for this case.
  package var isOutage: Bool {
    switch self {
    case .transport(let error):
      switch error {
      case .unknownHost, .refused, .unreachable, .unreachableProxy, .timedOut: true
      default: false
      }
    case .provider(let answer): answer.status >= 500 || answer.status == 429
    case .badAnswer(.notJSON(let status)): status >= 500 || status == 429
    case .badDiscovery(.status(let status)): status >= 500 || status == 429
    case .idToken(.keysUnavailable): true
    default: false
    }
  }

  /// Whether something else than a provider answered, such as a proxy or a captive portal. A response
  /// with 400 or 401 may be a provider's.
  package var isForeignPage: Bool {
    switch self {
    case .badDiscovery(.notJSON): true
    case .badAnswer(.notJSON(let status)): ![400, 401].contains(status)
    default: false
    }
  }

  /// Whether the request was not sent, because the provider was down or limited the rate before.
  package var isThrottled: Bool { if case .throttled = self { true } else { false } }

  /// The provider's error if it requires user interaction; nil for any other error.
  ///
  /// Only an OAuth error counts (RFC 6749 section 5.2): a proxy or a captive portal may answer 400
  /// or 401 in the provider's place.
  package func wantsUser(at authority: Authority) -> OAuthError? {
    guard case .provider(let answer) = self, answer.status < 500 else { return nil }
    let codes = [
      "invalid_grant", "interaction_required", "login_required", "consent_required",
      "account_selection_required",
      // GitHub's for invalid_grant.
      "bad_refresh_token",
    ]
    // RFC 6749 section 6: the scope exceeds what the user granted. At Microsoft Entra, the scope is
    // misspelt.
    let isBeyondGrant = answer.code == "invalid_scope" && !authority.isMicrosoft
    return codes.contains(answer.code) || isBeyondGrant ? answer : nil
  }
}
