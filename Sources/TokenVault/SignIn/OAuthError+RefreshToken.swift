import TokenVaultSignIn

extension OAuthError {
  /// Whether the provider refused the refresh token itself, and not only this use of it.
  ///
  /// Microsoft's suberrors name the step that the user has to take; a token that is refused for
  /// lack of a second factor still works for another resource. Without a suberror, Microsoft's
  /// error number decides: a user who is not a member of one tenant uses the same token for all
  /// others.
  var isAboutToken: Bool {
    // RFC 6749 section 5.2: a server that fails (5xx) has not judged the token.
    // GitHub has a code of its own, with the status 200.
    if code == "bad_refresh_token" { return status < 500 }
    guard code == "invalid_grant", status < 500 else { return false }
    guard suberror.isEmpty else { return ["bad_token", "token_expired"].contains(suberror) }
    return numbers.isEmpty || !Self.deadTokens.isDisjoint(with: numbers)
  }

  /// Expired, revoked, password changed, unused for too long, malformed.
  private static let deadTokens: Set<Int64> = [
    50089, 50132, 50133, 50173, 70008, 70043, 700082, 700084, 9_002_313,
  ]
}
