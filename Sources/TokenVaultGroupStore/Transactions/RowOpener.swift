import TokenVaultCrypto

/// Opens the rows of accounts. It needs no database, so that several threads can each have one.
struct RowOpener {
  let header: GroupHeader
  let keys: GroupKeys

  /// An opener for another thread: keys are used by one thread at a time.
  func forOtherThread() throws(StoreError) -> RowOpener {
    do {
      return RowOpener(
        header: header,
        keys: try GroupKeys(
          key: try keys.key.clone(), lookup: try keys.lookup.clone(), group: header.groupID))
    } catch let error as StoreError { throw error } catch { throw .crypto }
  }

  /// The account in a row, which may be an older version of it.
  /// - Throws: ``StoreError/damaged(rows:)``.
  func open(_ row: SealedAccount) throws(StoreError) -> StoredAccount {
    var key: SealingKey?
    let record = try record(of: row, key: &key)
    guard let key else { throw .crypto }
    return StoredAccount(
      tag: row.tag, keyID: row.keyID, record: record, row: row.id, key: key,
      saved: (record, row.seal))
  }

  /// The same, with no more than a view of it needs.
  /// - Parameter key: the key of an account that was viewed before; it is replaced by this account's.
  func view(_ row: SealedAccount, key: inout SealingKey?) throws(StoreError) -> ViewedAccount {
    ViewedAccount(tag: row.tag, record: try record(of: row, key: &key))
  }

  private func record(
    of row: SealedAccount, key: inout SealingKey?
  ) throws(StoreError) -> AccountRecord {
    let own: SealingKey
    do throws(CryptoError) {
      let data = header.associatedData(.accountKey, account: row.tag, row: row.keyID)
      let secret = try keys.wrap.openSecret(row.wrappedKey, associatedData: data)
      if let former = key {
        try former.replace(with: secret)
        own = former
      } else {
        own = try SealingKey(secret)
      }
    } catch { throw error == .failed ? .damaged(rows: 1) : .crypto }
    key = own
    return try AccountRecord(
      encoded: Padding.unpad(
        try own.openRow(row.record, header.associatedData(.accountRecord, account: row.tag))))
  }

  /// The keyed digest of a row.
  func digest(of row: SealedAccount) throws(StoreError) -> [UInt8] {
    try keys.tags.rowDigest(tag: row.tag, keyID: row.keyID, seal: row.seal)
  }
}
