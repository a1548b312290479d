import TokenVaultGroupStore
package import TokenVaultCrypto
package import TokenVaultModel
package import TokenVaultSignIn

extension ServiceSecrets {
  /// A secret that may be sent to an address.
  package struct Found: Sendable {
    package let account: Account
    /// The service that covers the address.
    package let service: ServiceURL
    package let secret: Redacted<[UInt8]>
    /// The form in which the service takes it; nil if that was not stored.
    package let form: ServiceAuthentication?
    package let expiresOn: Timestamp?
    package let origin: SecretOrigin
    /// Whether it is a refresh token, which is never sent.
    package let isRefreshToken: Bool
  }

  /// The secrets that may be sent to an address: those of the service that covers it with the
  /// longest path, one for each user name. A refresh token is none of them.
  /// - Parameter username: The user name at the service; nil for every one.
  package func covering(
    _ address: HTTPURL, username: String? = nil
  ) throws(VaultError) -> [Found] {
    try secrets { service, account in
      service.covers(address) && (username == nil || account.record.username == username)
        && !account.record.holdsRefreshTokenOfService
    } choosing: { found in
      let longest = found.map(\.service.description.utf8.count).max()
      return found.filter { $0.service.description.utf8.count == longest }
    }
  }

  /// The secret of a user name at exactly this service; nil if there is none.
  package func exact(_ service: ServiceURL, username: String) throws(VaultError) -> Found? {
    let identity = Self.record(service, username).identity
    do {
      return try session.read { transaction in
        guard let stored = try transaction.account(storedAs: identity) else { return nil }
        return try found(stored, service, in: transaction)
      }
    } catch .noGroup { return nil }
  }

  /// The secrets at exactly this service.
  package func all(at service: ServiceURL) throws(VaultError) -> [Found] {
    try secrets { own, _ in
      own == service
    } choosing: {
      $0
    }
  }

  /// The secrets that a tool stored, in the order of their services.
  package func all(from tool: String) throws(VaultError) -> [Found] {
    try all().filter { $0.origin.tool == tool }
  }

  /// All secrets of the group, in the order of their services.
  package func all() throws(VaultError) -> [Found] {
    try secrets { _, _ in
      true
    } choosing: {
      $0
    }
    .sorted {
      ($0.service.description, $0.account.username) < ($1.service.description, $1.account.username)
    }
  }

  private typealias Place = (stored: StoredAccount, service: ServiceURL)

  /// Opens the secrets that `choosing` leaves over, and no other one. A group without a file has none.
  private func secrets(
    where isWanted: (ServiceURL, StoredAccount) -> Bool, choosing: ([Place]) -> [Place]
  ) throws(VaultError) -> [Found] {
    do {
      return try session.read { transaction in
        var places: [Place] = []
        let damaged = try transaction.forEachAccount { stored throws(StoreError) in
          guard let text = stored.record.service, let service = ServiceURL(text),
            isWanted(service, stored)
          else { return }
          places.append((stored, service))
        }
        // A damaged account may be the one that is sought.
        guard damaged == 0 || !places.isEmpty else { throw StoreError.damaged(rows: damaged) }
        return try choosing(places).compactMap { try found($0.stored, $0.service, in: transaction) }
      }
    } catch .noGroup { return [] }
  }

  private func found(
    _ stored: StoredAccount, _ service: ServiceURL, in transaction: GroupTransaction
  ) throws -> Found? {
    guard let entry = stored.record.stored.first(where: { $0.credential.kind == .secret }) else {
      return nil
    }
    let payload = try transaction.payload(of: entry, in: stored)
    return Found(
      account: session.lookup.account(stored, in: transaction), service: service,
      secret: payload.secret, form: ServiceAuthentication(scheme: entry.credential.tokenType),
      expiresOn: entry.credential.expiresOn, origin: SecretOrigin(payload.extraJSON),
      isRefreshToken: entry.credential.tokenType == Self.refreshTokenType)
  }
}

extension AccountRecord {
  /// Whether the stored secret is a refresh token.
  fileprivate var holdsRefreshTokenOfService: Bool {
    stored.contains {
      $0.credential.kind == .secret
        && $0.credential.tokenType == ServiceSecrets.refreshTokenType
    }
  }
}
