import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Adds the data stored beside a token to the result.
struct TokenCompletion {
  let session: GroupSession

  /// The token with its stored ID token, in the form in which it is presented.
  func complete(
    _ token: TokenResult, _ client: String, _ scheme: AuthenticationScheme
  ) throws(VaultError) -> TokenResult {
    try session.read { transaction in
      try self.complete(
        token, client, scheme, of: self.account(of: token, in: transaction), in: transaction)
    }
  }

  /// The token in the form in which it is presented.
  func presented(
    _ token: TokenResult, _ scheme: AuthenticationScheme
  ) throws(VaultError) -> TokenResult {
    try session.read { transaction in
      try self.presented(
        token, scheme, of: self.account(of: token, in: transaction), in: transaction)
    }
  }

  private func account(
    of token: TokenResult, in transaction: GroupTransaction
  ) throws -> StoredAccount {
    guard let stored = try transaction.account(of: token.account) else {
      throw VaultError.interactionRequired(
        .signedOut, account: token.account, group: session.group)
    }
    return stored
  }

  func complete(
    _ token: TokenResult, _ client: String, _ scheme: AuthenticationScheme,
    of stored: StoredAccount,
    in transaction: GroupTransaction
  ) throws -> TokenResult {
    let home = token.account.homeAccountID
    let entry = stored.record.stored.first {
      $0.credential.kind == .idToken && CaseFolding.equal($0.credential.clientID, client)
        && CaseFolding.equal(
          home.tenant(ofRealm: $0.credential.realm), home.tenant(ofRealm: token.realm))
    }
    let idToken = try entry.map { entry in
      Redacted(
        String(
          decoding: try transaction.payload(of: entry, in: stored).secret.reveal(), as: UTF8.self))
    }
    var result = try presented(token, scheme, of: stored, in: transaction)
    result.idToken = idToken
    return result
  }

  private func presented(
    _ token: TokenResult, _ scheme: AuthenticationScheme, of stored: StoredAccount,
    in transaction: GroupTransaction
  ) throws -> TokenResult {
    guard case .pop(let request) = scheme else { return token }
    // Another process signed the account in again, and its key replaced the one of this token.
    guard let proof = try transaction.proof(of: stored, keyID: token.keyID) else {
      throw StoreError.busy
    }
    var result = token
    result.authenticationScheme = scheme
    do {
      result.signedHeader = try proof.authorizationHeader(
        Redacted(token.accessToken.revealText()), for: request, now: session.now)
    } catch { throw SignInError.cryptography }
    return result
  }
}
