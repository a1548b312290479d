import TokenVaultGroupStore

extension GroupSession {
  /// A token that an earlier call read, if the file has not changed since. It waits for no other
  /// process and for no call of this session.
  func servedAgain(_ request: ServedTokens.Request) -> TokenResult? {
    // A refresh token that is not stored yet is stored by the next call that reads the group.
    guard UnstoredTokens.ofProcess.isEmpty else { return nil }
    return served.token(request, now: now)
  }

  /// Reads a token in one snapshot of the group, and keeps it for the next call.
  func serve<Answer>(
    _ request: ServedTokens.Request, _ token: (Answer) -> TokenResult?,
    _ body: (GroupTransaction) throws -> Answer
  ) throws(VaultError) -> Answer {
    storeUnstoredTokens()
    return try withGroup { group in
      // It precedes the snapshot, so that a commit between the two makes it outdated.
      let mark = try group.commitMark()
      let answer = try group.read(body)
      if let mark, let token = token(answer) {
        self.served.keep(token, for: request, since: mark, now: self.now)
      }
      return answer
    }
  }
}
