import TokenVaultGroupStore
package import TokenVaultSignIn
package import TokenVaultModel

/// With what an account was signed in, as far as the group knows it: enough to do so again.
package struct StoredSignIn: Sendable {
  package let account: Account
  /// The clients that have something of the account, without those that were signed out.
  package let clientIDs: [String]
  /// The one that is meant: the one asked for, else the only one.
  package let clientID: String?
  /// Who signed that client in; nil where that is not known.
  package let authority: Authority?
  /// The scopes of that client's last access token; empty where it has none.
  package let scopes: ScopeSet
}

extension GroupSession {
  /// With what an account was signed in.
  /// - Parameter client: nil for the account's only one.
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
        authority: try clientID.flatMap { try record.authority(ofClient: $0) },
        scopes: last?.scopes ?? ScopeSet([]))
    }
  }
}
