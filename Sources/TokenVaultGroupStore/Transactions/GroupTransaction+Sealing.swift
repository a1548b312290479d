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
  /// - Parameter former: the row of a secret of the account to overwrite; nil for a new row. It spares
  ///   the commit the pages of the index and of the list of free pages.
  func write(
    _ sealed: [UInt8], of credential: Credential, issuer: AccountRecord.Issuer?, row: Int64,
    over former: Int64? = nil
  ) throws(StoreError) -> AccountRecord.StoredCredential {
    let place: Int64
    if let former, try overwrite(former, of: row, with: sealed) {
      place = former
    } else {
      place = try insert(sealed, row: row)
    }
    return AccountRecord.StoredCredential(
      credential: credential, issuer: issuer, row: place, seal: Array(sealed.suffix(16)))
  }

  /// Returns false if the account has no such row: the file is damaged.
  private func overwrite(
    _ former: Int64, of row: Int64, with sealed: [UInt8]
  ) throws(StoreError) -> Bool {
    let change = try database.statement(
      "UPDATE record SET sealed = ?1 WHERE id = ?2 AND account = ?3")
    try change.bind(1, sealed)
    try change.bind(2, former)
    try change.bind(3, row)
    try change.run()
    return database.changedRows == 1
  }

  private func insert(_ sealed: [UInt8], row: Int64) throws(StoreError) -> Int64 {
    let insertion = try database.statement("INSERT INTO record(account, sealed) VALUES(?, ?)")
    try insertion.bind(1, row)
    try insertion.bind(2, sealed)
    try insertion.run()
    return database.lastInsertedRow
  }
}
