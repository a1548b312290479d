import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// Adds the data stored beside a token to the result.
struct TokenCompletion {
  let session: GroupSession

  /// The token with its stored ID token, in the form in which it is presented.
  func complete(
    _ token: TokenResult, _ client: String, _ presentation: TokenPresentation
  ) throws(VaultError) -> TokenResult {
    try session.read { transaction in
      guard let stored = try transaction.account(of: token.account.identity) else {
        throw VaultError.interactionRequired(
          .signedOut, account: token.account, group: self.session.group)
      }
      return try self.complete(
        token, client, presentation, of: stored, in: transaction)
    }
  }

  func complete(
    _ token: TokenResult, _ client: String, _ presentation: TokenPresentation,
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
    var result = token
    result.idToken = idToken
    result.authenticationScheme = presentation.scheme
    result.signedHeader = try presentation.signedHeader(token.accessToken, now: session.now)
    return result
  }
}
