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
    let (record, key) = try content(of: row)
    return StoredAccount(
      tag: row.tag, keyID: row.keyID, record: record, row: row.id, key: key,
      saved: (record, row.seal))
  }

  /// The same, with no more than a view of it needs.
  func view(_ row: SealedAccount) throws(StoreError) -> ViewedAccount {
    ViewedAccount(tag: row.tag, record: try content(of: row).record)
  }

  private func content(
    of row: SealedAccount
  ) throws(StoreError) -> (record: AccountRecord, key: SealingKey) {
    let key: SealingKey
    do {
      let data = header.associatedData(.accountKey, account: row.tag, row: row.keyID)
      key = try SealingKey(try keys.wrap.openSecret(row.wrappedKey, associatedData: data))
    } catch { throw error == .failed ? .damaged(rows: 1) : .crypto }
    let record = try AccountRecord(
      encoded: Padding.unpad(
        try key.openRow(row.record, header.associatedData(.accountRecord, account: row.tag))))
    return (record, key)
  }

  /// The keyed digest of a row.
  func digest(of row: SealedAccount) throws(StoreError) -> [UInt8] {
    try keys.tags.rowDigest(tag: row.tag, keyID: row.keyID, seal: row.seal)
  }
}
