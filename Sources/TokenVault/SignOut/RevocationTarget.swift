import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// The data for signing one client of an account out at its provider. It is kept in memory only.
struct RevocationTarget: Sendable {
  let username: String
  let environment: String
  let clientID: String
  let authority: Authority?
  /// The refresh tokens, whose revocation also ends the access tokens; the access tokens if there
  /// are none.
  let tokens: [Redacted<String>]
  /// The token type hint of RFC 7009 section 2.1.
  let hint: String

  /// The targets of one account, one for each client.
  /// - Parameters:
  ///   - stored: The account.
  ///   - client: The client that signs out; nil for every client.
  ///   - keepsFamily: Whether the refresh token of the client's family stays for other clients.
  ///   - transaction: The transaction that erases the tokens.
  static func all(
    of stored: StoredAccount, _ client: String?, keepsFamily: Bool = false,
    in transaction: GroupTransaction
  ) -> [RevocationTarget] {
    let record = stored.record
    let entries = record.stored.filter { entry in
      let credential = entry.credential
      guard credential.kind == .refreshToken || credential.kind == .accessToken else {
        return false
      }
      return client.map { CaseFolding.equal(credential.clientID, $0) } ?? true
    }
    // Revoking an access token may revoke the refresh token too (RFC 7009 section 2.1).
    func stays(_ entry: AccountRecord.StoredCredential) -> Bool {
      keepsFamily && entry.credential.isFamilyRefreshToken
    }
    let leavesToken = record.stored.contains(where: stays)
    let clients = Dictionary(grouping: entries) { CaseFolding.key($0.credential.clientID) }
    return clients.sorted { $0.key < $1.key }.flatMap { client, entries in
      let refresh = entries.filter { $0.credential.kind == .refreshToken && !stays($0) }
      let chosen =
        !refresh.isEmpty || leavesToken
        ? refresh : entries.filter { $0.credential.kind == .accessToken }
      let authority = knownAuthority(client, record)
      func target(
        _ chosen: [AccountRecord.StoredCredential], _ authority: Authority?
      ) -> RevocationTarget {
        RevocationTarget(
          username: record.username, environment: record.environment,
          clientID: entries[0].credential.clientID, authority: authority,
          tokens: chosen.compactMap { secret(of: $0, in: stored, transaction) },
          hint: refresh.isEmpty ? "access_token" : "refresh_token")
      }
      // A token that another server issued is not sent to this one.
      let foreign = chosen.filter { entry in
        authority.map { !record.issuer(of: entry).allows($0) } ?? false
      }
      let own = target(chosen.filter { !foreign.contains($0) }, authority)
      return foreign.isEmpty ? [own] : [own, target(foreign, nil)]
    }
  }

  /// Nil if the stored text is not an authority: the erasure continues without it.
  private static func knownAuthority(_ client: String, _ record: AccountRecord) -> Authority? {
    do { return try record.authority(ofClient: client) } catch { return nil }
  }

  /// Nil if the row cannot be decrypted: the erasure continues without it.
  private static func secret(
    of entry: AccountRecord.StoredCredential, in stored: StoredAccount,
    _ transaction: GroupTransaction
  ) -> Redacted<String>? {
    do {
      let bytes = try transaction.payload(of: entry, in: stored).secret
      return Redacted(String(decoding: bytes.reveal(), as: UTF8.self))
    } catch { return nil }
  }
}
