import TokenVaultSignIn

extension OAuthError {
  /// Whether the refresh token itself was refused, and not this use of it.
  ///
  /// Microsoft's suberrors name what the user has to do; a token that is refused for want of a
  /// second factor is still good for another resource. Without a suberror Microsoft's number tells:
  /// a user who is not in one tenant has the same token for all others.
  var isAboutToken: Bool {
    guard code == "invalid_grant" else { return false }
    guard suberror.isEmpty else { return ["bad_token", "token_expired"].contains(suberror) }
    return numbers.isEmpty || !Self.deadTokens.isDisjoint(with: numbers)
  }

  /// Expired, revoked, password changed, unused for too long, malformed.
  private static let deadTokens: Set<Int64> = [
    50089, 50132, 50133, 50173, 70008, 70043, 700082, 700084, 9_002_313,
  ]
}
