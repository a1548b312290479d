import TokenVaultSystem

extension GroupSession {
  /// The disk space that the commits after a refresh may need: a few tokens and the account record.
  private static let reserve: Int64 = 256 << 10

  /// Proves that the group can be written, and reserves space for the response to a refresh. After
  /// the request is sent, the old refresh token may be invalid.
  func reserveSpace() throws(VaultError) {
    try withGroup { try $0.reserveSpace(Self.reserve) }
  }

  /// Stores the refresh tokens of this process that could not be stored when they arrived.
  func storeUnstoredTokens() {
    for token in UnstoredTokens.ofProcess.of(configuration.groupPath) {
      bestEffort("the token stays in memory, and the next call tries again") {
        _ = try token.store(in: self)
        UnstoredTokens.ofProcess.remove(token)
      }
    }
  }
}
