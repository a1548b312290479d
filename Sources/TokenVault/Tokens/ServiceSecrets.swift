import TokenVaultGroupStore
package import TokenVaultCrypto
package import TokenVaultModel

/// Stores passwords and personal access tokens of services.
package struct ServiceSecrets {
  let session: GroupSession

  package init(_ session: GroupSession) { self.session = session }

  /// Stores a password or token of a service. It replaces the one that the user name had there.
  /// - Parameters:
  ///   - secret: The password or token.
  ///   - service: The service, the only place that ``APIRequest`` sends it to.
  ///   - username: The user name at the service.
  ///   - expiresOn: The time at which the service ends it; nil if that is not known.
  ///   - form: The form in which the service takes it; nil if that is not known.
  ///   - isRefreshToken: Whether it is a refresh token, which only its client may use: it is never sent,
  ///     and no helper gets it.
  ///   - origin: The tool that hands it over, and what comes with it.
  /// - Returns: The account, whether the group was created for it, and whether it replaced a secret.
  /// - Throws: ``VaultError/invalid(_:)`` if the user name is empty, has more than 1024 bytes or a
  ///   control character, or if the secret is empty.
  @discardableResult
  package func store(
    _ secret: Redacted<[UInt8]>, service: ServiceURL, username: String,
    expiresOn: Timestamp? = nil, as form: ServiceAuthentication? = nil,
    isRefreshToken: Bool = false,
    from origin: SecretOrigin = SecretOrigin()
  ) throws(VaultError) -> (account: Account, madeGroup: Bool, isReplaced: Bool) {
    guard Self.isStorable(username: username) else { throw .invalid(.username) }
    guard !secret.reveal().isEmpty else { throw .invalid(.secret) }
    var record = Self.record(service, username)
    let bytes = secret.reveal().count
    try vaultErrors(session.group) {
      try CredentialPayload.requireStorable(
        secretBytes: bytes, extraBytes: origin.json.count)
    }
    let device = try SharedDevice(session)
    record.profiles = [
      AccountRecord.Profile(
        tenantID: "", localAccountID: username, username: username, environment: service.host)
    ]
    let madeGroup = try GroupSetup(session).createIfMissing()
    let now = session.now
    let (account, isReplaced) = try session.write { [record] transaction in
      let known = try transaction.account(storedAs: record.identity)
      var stored = try known ?? transaction.insert(record)
      var credential = Credential(kind: .secret, clientID: "", environment: service.host)
      credential.target = service.description
      credential.lastModified = now
      credential.expiresOn = expiresOn
      credential.tokenType = isRefreshToken ? Self.refreshTokenType : form?.scheme ?? ""
      try transaction.store(
        credential, CredentialPayload(secret: secret, extraJSON: origin.json), in: &stored)
      try transaction.update(&stored)
      try device.requireAlone([stored.tag], in: transaction)
      return (session.lookup.account(stored, in: transaction), known?.record.isSecret ?? false)
    }
    return (account, madeGroup, isReplaced)
  }

  /// The token type of a secret that is a refresh token.
  static let refreshTokenType = "refresh_token"

  /// The largest user name, in bytes.
  package static let longestUsername = 1024

  /// Whether a user name is neither empty nor too long, and has no control characters.
  package static func isStorable(username: String) -> Bool {
    !username.isEmpty && username.utf8.count <= longestUsername
      && !username.utf8.contains { $0 < 0x20 || $0 == 0x7f }
  }

  /// Whether the user name has a secret at a service.
  package func contains(service: ServiceURL, username: String) throws(VaultError) -> Bool {
    let identity = Self.record(service, username).identity
    do {
      return try session.read { try $0.account(storedAs: identity)?.record.isSecret ?? false }
    } catch .noGroup { return false }
  }

  /// The stored secret of a user name at a service.
  /// - Throws: ``VaultError/noAccount(_:group:)`` if there is none.
  package func secret(
    for service: ServiceURL, username: String
  ) throws(VaultError) -> Redacted<[UInt8]> {
    let identity = Self.record(service, username).identity
    return try session.read { transaction in
      guard let stored = try transaction.account(storedAs: identity),
        let entry = stored.record.stored.first(where: { $0.credential.kind == .secret })
      else { throw VaultError.noAccount(username, group: session.group) }
      return try transaction.payload(of: entry, in: stored).secret
    }
  }

  static func record(_ service: ServiceURL, _ username: String) -> AccountRecord {
    AccountRecord(
      homeAccountID: "\(username)@\(service)", environment: service.host, authorityType: .secret)
  }
}
