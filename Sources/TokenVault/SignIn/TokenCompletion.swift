package import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Adds the data stored beside a token to the result.
package struct TokenCompletion {
  let session: GroupSession

  package init(session: GroupSession) { self.session = session }

  /// The ID token that came with the account's token for this tenant; nil if none is stored.
  /// - Parameter client: The client that it was issued to; nil for any.
  package func idToken(
    with token: TokenResult, client: String?
  ) throws(VaultError) -> Redacted<String>? {
    try session.read { transaction in
      let stored = try self.account(of: token, in: transaction)
      return try self.idToken(with: token, client, of: stored, in: transaction)
    }
  }

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
    let idToken = try idToken(with: token, client, of: stored, in: transaction)
    var result = try presented(token, scheme, of: stored, in: transaction)
    result.idToken = idToken
    return result
  }

  private func idToken(
    with token: TokenResult, _ client: String?, of stored: StoredAccount,
    in transaction: GroupTransaction
  ) throws -> Redacted<String>? {
    let home = token.account.homeAccountID
    let entry = stored.record.stored.first { entry in
      entry.credential.kind == .idToken
        && CaseFolding.equal(entry.credential.clientID, client ?? entry.credential.clientID)
        && CaseFolding.equal(
          home.tenant(ofRealm: entry.credential.realm), home.tenant(ofRealm: token.realm))
    }
    return try entry.map { entry in
      let bytes = try transaction.payload(of: entry, in: stored).secret.reveal()
      return Redacted(String(decoding: bytes, as: UTF8.self))
    }
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
