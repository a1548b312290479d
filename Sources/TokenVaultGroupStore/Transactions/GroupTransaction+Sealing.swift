import TokenVaultCrypto
import TokenVaultModel

// Encrypts and inserts the rows of accounts.
extension GroupTransaction {
  /// A new key of an account.
  struct AccountKey {
    let id: [UInt8]
    let key: SealingKey
    let wrapped: [UInt8]
  }

  func makeAccountKey(tag: [UInt8]) throws(StoreError) -> AccountKey {
    do {
      let id = try RandomBytes.make(16)
      let secret = try SecretBytes.random(count: 32)
      let wrapped = try keys.wrap.seal(
        secret, associatedData: accountKeyData(tag: tag, keyID: id))
      return AccountKey(id: id, key: try SealingKey(secret), wrapped: wrapped)
    } catch { throw .crypto }
  }

  /// Stores the key of the account in this row; it replaces the one that was there.
  func setAccountKey(_ key: AccountKey, row: Int64) throws(StoreError) {
    let change = try database.statement(
      "INSERT OR REPLACE INTO account_key(id, key_id, wrapped) VALUES(?, ?, ?)")
    try change.bind(1, row)
    try change.bind(2, key.id)
    try change.bind(3, key.wrapped)
    try change.run()
  }

  func seal(
    _ record: AccountRecord, key: SealingKey, tag: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    try key.sealRow(
      Padding.pad(record.encoded()), header.associatedData(.accountRecord, account: tag))
  }

  func seal(
    _ payload: CredentialPayload, _ credential: Credential, key: SealingKey, tag: [UInt8]
  ) throws(StoreError) -> [UInt8] {
    var writer = ByteWriter()
    writer.data(payload.secret.reveal())
    writer.data(payload.extraJSON)
    return try key.sealRow(Padding.pad(writer.bytes), recordData(credential, account: tag))
  }

  /// Stores the sealed secret of a credential of the account in row `row`.
  func insert(
    _ sealed: [UInt8], of credential: Credential, issuer: AccountRecord.Issuer?, row: Int64
  ) throws(StoreError) -> AccountRecord.StoredCredential {
    let insertion = try database.statement("INSERT INTO record(account, sealed) VALUES(?, ?)")
    try insertion.bind(1, row)
    try insertion.bind(2, sealed)
    try insertion.run()
    return AccountRecord.StoredCredential(
      credential: credential, issuer: issuer, row: database.lastInsertedRow,
      seal: Array(sealed.suffix(16)))
  }
}
