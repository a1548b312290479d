import TokenVaultGroupStore
package import TokenVaultSignIn
package import TokenVaultModel

/// The parameters of an account's last sign-in, as far as the group has them: enough to sign in
/// again.
package struct StoredSignIn: Sendable {
  package let account: Account
  /// The clients that have credentials of the account, without those that were signed out.
  package let clientIDs: [String]
  /// The requested client, otherwise the only one; nil if there are several.
  package let clientID: String?
  /// The authority that signed that client in; nil if it is not known.
  package let authority: Authority?
  /// The scopes of that client's last access token; empty if it has none.
  package let scopes: ScopeSet
}

extension GroupSession {
  /// The parameters of an account's last sign-in. A nil `client` stands for the account's only one.
  package func storedSignIn(
    _ reference: AccountReference, client: String? = nil
  ) throws(VaultError) -> StoredSignIn {
    try read { transaction in
      let stored = try self.lookup.stored(reference, in: transaction)
      let record = stored.record
      let account = self.lookup.account(stored, in: transaction)
      let signedIn = account.clientIDs.filter {
        record.clients[CaseFolding.key($0)] != .signedOut
      }
      let clients = signedIn.isEmpty ? account.clientIDs : signedIn
      let clientID = client ?? (clients.count == 1 ? clients[0] : nil)
      let last = record.stored.map(\.credential).filter { credential in
        credential.kind == .accessToken
          && clientID.map { CaseFolding.equal($0, credential.clientID) } == true
      }.max { ($0.expiresOn ?? now) < ($1.expiresOn ?? now) }
      return StoredSignIn(
        account: account, clientIDs: clients, clientID: clientID,
        // The provider of an account without tokens is known, but no client.
        authority: try (clientID ?? (clients.isEmpty ? "" : nil)).flatMap {
          try record.authority(ofClient: $0)
        },
        scopes: last?.scopes ?? ScopeSet([]))
    }
  }
}
