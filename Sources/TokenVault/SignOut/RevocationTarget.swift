import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// What telling a provider takes, of one client of an account: in memory only.
struct RevocationTarget: Sendable {
  let username: String
  let environment: String
  let clientID: String
  let authority: Authority?
  /// Refresh tokens, whose revocation ends the access tokens too; else the access tokens.
  let tokens: [Redacted<String>]
  /// RFC 7009 section 2.1.
  let hint: String

  /// The targets of one account, by client.
  /// - Parameter client: nil for every client.
  static func all(
    of stored: StoredAccount, _ client: String?, in transaction: GroupTransaction
  ) -> [RevocationTarget] {
    let record = stored.record
    let entries = record.stored.filter { entry in
      let credential = entry.credential
      guard credential.kind == .refreshToken || credential.kind == .accessToken else {
        return false
      }
      return client.map { CaseFolding.equal(credential.clientID, $0) } ?? true
    }
    // A family's token stays for the other clients, and revoking an access token may take it along
    // (RFC 7009 section 2.1).
    func stays(_ entry: AccountRecord.Stored) -> Bool {
      client != nil && entry.credential.kind == .refreshToken && !entry.credential.familyID.isEmpty
    }
    let keepsFamily = record.stored.contains(where: stays)
    let clients = Dictionary(grouping: entries) { CaseFolding.key($0.credential.clientID) }
    return clients.sorted { $0.key < $1.key }.map { client, entries in
      let refresh = entries.filter { $0.credential.kind == .refreshToken && !stays($0) }
      let chosen =
        !refresh.isEmpty || keepsFamily
        ? refresh : entries.filter { $0.credential.kind == .accessToken }
      return RevocationTarget(
        username: record.username, environment: record.environment,
        clientID: entries[0].credential.clientID,
        authority: knownAuthority(client, record),
        tokens: chosen.compactMap { secret(of: $0, in: stored, transaction) },
        hint: refresh.isEmpty ? "access_token" : "refresh_token")
    }
  }

  /// Nil where the text that was stored is no authority: the erasure goes on without it.
  private static func knownAuthority(_ client: String, _ record: AccountRecord) -> Authority? {
    do { return try record.authority(ofClient: client) } catch { return nil }
  }

  /// Nil where the row does not open: the erasure goes on without it.
  private static func secret(
    of entry: AccountRecord.Stored, in stored: StoredAccount, _ transaction: GroupTransaction
  ) -> Redacted<String>? {
    do {
      let bytes = try transaction.payload(of: entry, in: stored).secret
      return Redacted(String(decoding: bytes.reveal(), as: UTF8.self))
    } catch { return nil }
  }
}
