import TokenVaultCrypto
import TokenVaultGroupStore
import TokenVaultModel
import TokenVaultSignIn

/// The keys that access tokens are bound to. A client has one for each account. It is sealed beside
/// the tokens that are bound to it, so that every process of the client can use them, and it is
/// erased with them.
extension GroupTransaction {
  /// The key of a client; nil if it has none yet.
  func proof(of stored: StoredAccount, client: String) throws -> ProofOfPossession? {
    try proof(of: stored) { CaseFolding.equal($0.clientID, client) }
  }

  /// The key with this id; nil if it is no longer stored.
  func proof(of stored: StoredAccount, keyID: String) throws -> ProofOfPossession? {
    try proof(of: stored) { $0.keyID == keyID }
  }

  private func proof(
    of stored: StoredAccount, where isWanted: (Credential) -> Bool
  ) throws -> ProofOfPossession? {
    let entry = stored.record.stored.first {
      $0.credential.kind == .proofKey && isWanted($0.credential)
    }
    guard let entry else { return nil }
    let bytes = try payload(of: entry, in: stored).secret.reveal()
    do {
      return try ProofOfPossession(SigningKey(der: SecretBytes(copying: bytes)))
    } catch CryptoError.badParameters { throw StoreError.damaged(rows: nil) }
  }

  /// Stores the key of a client, unless it is stored already. The tokens that are bound to the
  /// client's former key are removed, because nothing can present them any more.
  func storeKey(
    of proof: ProofOfPossession, _ base: Credential, in stored: inout StoredAccount
  ) throws {
    let isStored = stored.record.stored.contains {
      $0.credential.kind == .proofKey && $0.credential.keyID == proof.keyID
        && CaseFolding.equal($0.credential.clientID, base.clientID)
    }
    guard !isStored else { return }
    try removeCredentials(of: &stored) {
      $0.kind == .accessToken && !$0.keyID.isEmpty
        && CaseFolding.equal($0.clientID, base.clientID)
    }
    var key = base
    key.keyID = proof.keyID
    let der = unsafe try proof.privateKey().withUnsafeBytes { unsafe Array($0) }
    try store(key, CredentialPayload(secret: Redacted(der)), in: &stored)
  }
}
